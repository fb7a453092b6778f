#include <dlfcn.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// After a device fails in the middle of fit(), the model can continue elsewhere.
namespace antler::pjrt {
namespace {

constexpr int kResourceExhausted = 8;
constexpr int kUnavailable = 14;

/// The device of a plug-in that fails on request.
class FailingDevice : public test::OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    config::set_device(std::string("pjrt:") + ANTLER_TEST_PLUGIN_FAILING);
  }
  void TearDown() override {
    if (!IsSkipped()) fail_after(-1, 0, false);
    OnDevice::TearDown();
  }
  static void fail_after(int64_t runs, int status, bool lost) {
    void* const library = dlopen(ANTLER_TEST_PLUGIN_FAILING, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    using Signature = void (*)(int64_t, int, bool);
    reinterpret_cast<Signature>(dlsym(library, "antler_test_fail_after"))(runs, status, lost);
  }

  const Tensor x_ = test::random_tensor(DType::float32, {40, 5});
  const Tensor y_ = test::random_tensor(DType::float32, {40, 1}, -1, 1, 2);
};

Model small_regression() {
  utils::set_random_seed(5);
  const Tensor inputs = Input({5});
  Model model(inputs, Dense(1)(Dense(8, {.activation = "tanh"})(inputs)));
  model.compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

/// Sees each execution, so that each is a run of its own.
struct LossObserver : Callback {
  bool async_safe() const override { return true; }
  void on_train_batch_end(int /*batch*/, const Logs& logs) override { last = logs.at("loss"); }
  double last = 0;
};

TEST_F(FailingDevice, OutOfMemory) {
  config::set_device("cpu");
  Model expected = small_regression();
  expected.fit(x_, y_, {.batch_size = 8, .verbose = 0, .shuffle = false, .steps_per_epoch = 3});

  config::set_device(std::string("pjrt:") + ANTLER_TEST_PLUGIN_FAILING);
  Model model = small_regression();
  fail_after(3, kResourceExhausted, false);
  try {
    model.fit(x_, y_,
              {.batch_size = 8, .verbose = 0, .callbacks = {LossObserver()}, .shuffle = false});
    FAIL() << "the fourth step runs";
  } catch (const ResourceExhaustedError& error) {
    EXPECT_NE(std::string(error.what()).find("out of memory"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("batch_size"), std::string::npos) << error.what();
  }
  // The weights are those after the third step, and training goes on from there on the CPU.
  config::set_device("cpu");
  for (size_t i = 0; i < model.weights().size(); ++i) {
    test::expect_close(model.weights()[i].value(), expected.weights()[i].value().to_doubles(),
                       1e-5);
  }
  model.compile({.optimizer = "adam", .loss = "mse"});
  const double before = model.evaluate(x_, y_, {.verbose = 0}).at("loss");
  model.fit(x_, y_, {.epochs = 20, .verbose = 0});
  EXPECT_LT(model.evaluate(x_, y_, {.verbose = 0}).at("loss"), before);
}

TEST_F(FailingDevice, Lost) {
  Model model = small_regression();
  const auto weights = [&] {
    std::vector<std::vector<double>> all;
    for (const Variable& v : model.trainable_variables()) all.push_back(v.value().to_doubles());
    return all;
  };
  model.fit(x_, y_, {.batch_size = 8, .verbose = 0});
  const auto seen = weights();  // the host has these
  fail_after(2, kUnavailable, true);
  try {
    model.fit(x_, y_, {.batch_size = 8, .verbose = 0, .callbacks = {LossObserver()}});
    FAIL() << "a lost device runs";
  } catch (const UnavailableError& error) {
    EXPECT_NE(std::string(error.what()).find("lost"), std::string::npos) << error.what();
  }
  EXPECT_EQ(weights(), seen);
  config::set_device("cpu");
  model.compile({.optimizer = "adam", .loss = "mse"});
  const double before = model.evaluate(x_, y_, {.verbose = 0}).at("loss");
  model.fit(x_, y_, {.epochs = 20, .verbose = 0});
  EXPECT_LT(model.evaluate(x_, y_, {.verbose = 0}).at("loss"), before);
}

}  // namespace
}  // namespace antler::pjrt
