#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pjrt/client.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// Modules that run on several devices together.
namespace antler::pjrt {
namespace {

class Collectives : public test::OnDevice, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    client_ = &Client::of(find_plugin("cpu"));
    if (client_->device_count() < GetParam()) GTEST_SKIP() << "the plug-in has too few devices";
    for (int r = 0; r < GetParam(); ++r) devices_.push_back(r);
  }

  /// Device r has r + 1.
  std::vector<Buffers> numbers() {
    std::vector<Buffers> lists;
    for (const int device : devices_) {
      const auto number = static_cast<float>(device + 1);
      lists.push_back({client_->upload(&number, {DType::float32, {}}, device)});
    }
    return lists;
  }

  static float read(DeviceBuffer& buffer) {
    float value = 0;
    buffer.copy_to(&value);
    return value;
  }

  /// "dense<[[0, 1]]> : tensor<1x2xi64>"
  std::string groups() const {
    std::string list;
    for (const int device : devices_) list += (list.empty() ? "" : ", ") + std::to_string(device);
    return "dense<[[" + list + "]]> : tensor<1x" + std::to_string(devices_.size()) + "xi64>";
  }

  /// The sum of %x over the devices.
  std::string sum(const std::string& result, const std::string& x) const {
    return result + " = \"stablehlo.all_reduce\"(" + x + R"() ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  "stablehlo.return"(%s) : (tensor<f32>) -> ()
}) {replica_groups = )" +
           groups() + "} : (tensor<f32>) -> tensor<f32>\n";
  }

  std::string module(const std::string& body) const {
    return "module @sums attributes {mhlo.num_replicas = " + std::to_string(devices_.size()) +
           " : i32} {\nfunc.func public @main(%x: tensor<f32>) -> (tensor<f32>) {\n" + body +
           "\"func.return\"(%y) : (tensor<f32>) -> ()\n}\n}\n";
  }

  Client* client_ = nullptr;
  std::vector<int> devices_;
};

TEST_P(Collectives, SumOverDevices) {
  const auto program = client_->compile(module(sum("%y", "%x")), "sums", devices_);
  const std::vector<TensorSpec> results = {{DType::float32, {}}};
  std::vector<Event> ends;
  const auto values = program->run(numbers(), results, &ends);
  for (Event& end : ends) end.wait("running");
  const auto count = static_cast<float>(devices_.size());
  for (const Buffers& list : values) EXPECT_EQ(read(*list[0]), count * (count + 1) / 2);
}

TEST_P(Collectives, ReplicasAreInTheOrderOfDevices) {
  const auto program =
      client_->compile(module("%i = \"stablehlo.replica_id\"() : () -> tensor<ui32>\n"
                              "%y = \"stablehlo.convert\"(%i) : (tensor<ui32>) -> tensor<f32>\n"),
                       "ids", devices_);
  const std::vector<TensorSpec> results = {{DType::float32, {}}};
  const auto values = program->run(numbers(), results);
  for (size_t r = 0; r < values.size(); ++r) EXPECT_EQ(read(*values[r][0]), static_cast<float>(r));
}

// Two sums that do not depend on each other in each iteration, many runs in flight: no device may
// wait for one that waits for it.
TEST_P(Collectives, LoopsInFlight) {
  const std::string body = R"(
%zero = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
%one = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
%end = "stablehlo.constant"() {value = dense<20> : tensor<i32>} : () -> tensor<i32>
%n = "stablehlo.constant"() {value = dense<)" +
                           std::to_string(2 * devices_.size()) +
                           R"(.0> : tensor<f32>} : () -> tensor<f32>
%last, %y = "stablehlo.while"(%zero, %x) ({
^bb0(%i: tensor<i32>, %v: tensor<f32>):
  %more = "stablehlo.compare"(%i, %end) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "stablehlo.return"(%more) : (tensor<i1>) -> ()
}, {
^bb0(%i: tensor<i32>, %v: tensor<f32>):
  %next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %m = "stablehlo.negate"(%v) : (tensor<f32>) -> tensor<f32>
)" + sum("%p", "%v") + sum("%q", "%m") +
                           R"(
  %d = "stablehlo.subtract"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %w = "stablehlo.divide"(%d, %n) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  "stablehlo.return"(%next, %w) : (tensor<i32>, tensor<f32>) -> ()
}) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
)";
  const auto program = client_->compile(module(body), "loops", devices_);
  const std::vector<TensorSpec> results = {{DType::float32, {}}};
  std::vector<Buffers> values = numbers();
  std::vector<std::vector<Event>> ends(100);
  for (auto& end : ends) values = program->run(values, results, &end);
  for (auto& end : ends) {
    for (Event& e : end) e.wait("running");
  }
  const float mean = (static_cast<float>(devices_.size()) + 1) / 2;
  for (const Buffers& list : values) EXPECT_EQ(read(*list[0]), mean);
}

INSTANTIATE_TEST_SUITE_P(Devices, Collectives, ::testing::Values(2, 4, 8));

}  // namespace
}  // namespace antler::pjrt
