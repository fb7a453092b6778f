#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/core/device_value.h"
#include "antler/ir/tracer.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/random.h"
#include "antler/runtime/function.h"
#include "pjrt/client.h"
#include "pjrt/lowering/lowering.h"
#include "pjrt/plugin_device.h"

namespace antler::pjrt {
namespace {

using ProgramOnDevice = test::OnDevice;

Tensor vec(std::initializer_list<double> values) {
  Tensor result = Tensor::empty(DType::float32, {static_cast<int64_t>(values.size())});
  int64_t i = 0;
  for (const double v : values) result.mutable_data<float>()[i++] = static_cast<float>(v);
  return result;
}

/// Batches 1, 2, 3, ... of one element.
class CountingFeed : public BatchFeed {
 public:
  explicit CountingFeed(int batches, int broken = -1) : batches_(batches), broken_(broken) {}
  bool fill(std::span<void* const> buffers) override {
    if (done_ == batches_) return false;
    if (done_ == broken_) throw std::runtime_error("the data is broken");
    const auto value = static_cast<float>(++done_);
    std::memcpy(buffers[0], &value, sizeof value);
    return true;
  }

 private:
  int batches_;
  int broken_;
  int done_ = 0;
};

/// total += x; returns the total.
struct Sum {
  Variable total{vec({0}), {.name = "total"}};
  Function step = tf::function(Function::Body([total = total](const Nest& x) -> Nest {
    total.assign(total.value() + x.tensor());
    return total.value();
  }));
};

TEST_F(ProgramOnDevice, RunsAFunction) {
  const Function f =
      tf::function(Function::Body([](const Nest& x) -> Nest { return ops::exp(x.tensor()) * 2; }));
  EXPECT_NEAR(f(vec({1})).tensor().item(), 2 * 2.718281828, 1e-5);
}

// What the compiler refuses is named by layer, op and shape of the result.
TEST_F(ProgramOnDevice, ErrorsOfTheCompilerNameTheOp) {
  const ir::OriginScope layer(std::make_shared<const std::string>("model/\"my\" layer"));
  ir::Tracer tracer;
  const Tensor x = tracer.input({DType::float32, {3, 2}});
  const ir::Graph graph = tracer.finish(Tensors{ops::sum(ops::exp(x), {0})}).graph;
  std::string module = lower_step(prepare(graph), "step");
  const std::string valid = "stablehlo.exponential";
  ASSERT_NE(module.find(valid), std::string::npos) << module;
  module.replace(module.find(valid), valid.size(), "stablehlo.not");  // is for integers
  try {
    Client::of(find_plugin("cpu")).compile(module, "step", std::vector<int>{0});
    FAIL() << "compiled " << module;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("model/_my_ layer/exp -> float32 (3, 2)"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(ProgramOnDevice, StepsInBlocksAreTheSameAsOneByOne) {
  for (const int64_t n : {1, 2, 3, 5, 8, 100}) {
    Sum sum;
    const auto special = sum.step.specialize(vec({0}));
    CountingFeed feed(20);
    Nest out;
    int64_t steps = 0;
    while (const int64_t done = special.run(n, feed, out)) steps += done;
    EXPECT_EQ(steps, 20) << n;
    EXPECT_EQ(out.tensor().item(), 210) << n;
    EXPECT_EQ(sum.total.value().item(), 210) << n;
  }
}

TEST_F(ProgramOnDevice, ReportsEveryStep) {
  Sum sum;
  const auto special = sum.step.specialize(vec({0}));
  CountingFeed feed(7);
  Nest out;
  std::vector<double> totals;
  const auto report = [&](const Nest& outputs) { totals.push_back(outputs.tensor().item()); };
  EXPECT_EQ(special.run(100, feed, out, report), 7);
  EXPECT_EQ(totals, (std::vector<double>{1, 3, 6, 10, 15, 21, 28}));
  EXPECT_EQ(out.tensor().item(), 28);
}

TEST_F(ProgramOnDevice, VariablesChangeOnBothSides) {
  Sum sum;
  sum.step(vec({5}));
  EXPECT_NE(device_value(sum.total), nullptr);
  const Tensor before = sum.total.value();
  sum.total.assign(vec({100}));
  EXPECT_EQ(device_value(sum.total), nullptr) << "the device's value is old";
  sum.step(vec({1}));
  EXPECT_EQ(sum.total.value().item(), 101);
  EXPECT_EQ(before.item(), 5) << "a value that was read does not change";
  config::set_device("cpu");
  const Function other = tf::function(Function::Body([total = sum.total](const Nest& x) -> Nest {
    total.assign(total.value() * x.tensor());
    return total.value();
  }));
  other(vec({2}));
  config::set_device("pjrt:cpu");
  sum.step(vec({1}));
  EXPECT_EQ(sum.total.value().item(), 203) << "programs of both kinds in turn";
}

TEST_F(ProgramOnDevice, AFailingFeedKeepsTheStepsBefore) {
  Sum sum;
  const auto special = sum.step.specialize(vec({0}));
  CountingFeed feed(20, 6);
  Nest out;
  EXPECT_EQ(special.run(4, feed, out), 4);
  EXPECT_THROW(special.run(8, feed, out), std::runtime_error);
  EXPECT_EQ(sum.total.value().item(), 21) << "six batches";
  EXPECT_EQ(sum.step(vec({1})).tensor().item(), 22);
}

TEST_F(ProgramOnDevice, ArgumentsAreChecked) {
  const Function f = tf::function(Function::Body([](const Nest& x) -> Nest { return x; }));
  const auto special = f.specialize(vec({1, 2}));
  const Tensor wrong = vec({1});
  EXPECT_THROW(special.program().run(std::span(&wrong, 1)), ValueError);
}

TEST_F(ProgramOnDevice, KnowsItsMemory) {
  Sum sum;
  const auto special = sum.step.specialize(vec({0}));
  const ProgramMemory& memory = special.program().memory_plan();
  EXPECT_EQ(memory.states, 4);
  EXPECT_EQ(memory.arguments, 4);
  EXPECT_NE(special.program().plan_text().find("stablehlo.add"), std::string::npos);
}

TEST_F(ProgramOnDevice, WithoutResultsAndStates) {
  const Function f = tf::function(Function::Body([](const Nest&) -> Nest { return Nest(); }));
  EXPECT_NO_THROW(f(vec({1})));
}

/// The error of running a function on the device, as "Class: message".
std::string error_on(const std::string& device) {
  config::set_device(device);
  const Function f =
      tf::function(Function::Body([](const Nest& x) -> Nest { return x.tensor() + 1; }));
  std::string error;
  try {
    f(vec({1}));
  } catch (const Error& e) {
    error = format("{}: {}", e.class_name(), e.what());
  }
  config::set_device("cpu");
  return error;
}

TEST(Devices, WrongNamesAreRefused) {
  EXPECT_THROW(config::set_device("gpu"), ValueError);
  EXPECT_THROW(config::set_device("pjrt:"), ValueError);
  EXPECT_EQ(config::device(), "cpu");
}

TEST(Devices, PluginsThatCannotBeUsedAreRefused) {
  EXPECT_NE(error_on("pjrt:no_such_plugin").find("NotFoundError: There is no PJRT plug-in named"),
            std::string::npos);
  EXPECT_NE(error_on("pjrt:/no/such/file.so").find("NotFoundError: The PJRT plug-in"),
            std::string::npos);
  EXPECT_NE(error_on(std::string("pjrt:") + ANTLER_TEST_PLUGIN_OTHER)
                .find("is not a PJRT plug-in: it has no function GetPjrtApi"),
            std::string::npos);
  EXPECT_NE(error_on(std::string("pjrt:") + ANTLER_TEST_PLUGIN_OLD)
                .find("has version 0.3 of the interface"),
            std::string::npos);
}

TEST_F(ProgramOnDevice, ADeviceThatIsNotThere) {
  EXPECT_NE(error_on("pjrt:cpu:99").find("ValueError: There is no device"), std::string::npos);
  EXPECT_NE(error_on("pjrt:cpu:x").find("ValueError"), std::string::npos);
}

}  // namespace
}  // namespace antler::pjrt
