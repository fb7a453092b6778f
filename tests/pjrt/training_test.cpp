#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/pjrt/export_stablehlo.h"
#include "base/temporary_folder.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// Training on the device gives what training on the CPU gives.
namespace antler::pjrt {
namespace {

using TrainingOnDevice = test::OnDevice;

Model classifier() {
  utils::set_random_seed(7);
  const Tensor inputs = Input({6});
  Tensor x = Dense(16, {.activation = "relu"})(inputs);
  x = BatchNormalization()(x);
  x = Dropout(0.25)(x);
  return Model(inputs, Dense(3, {.activation = "softmax"})(x));
}

struct Data {
  Tensor x = test::random_tensor(DType::float32, {50, 6});
  Tensor y = test::random_tensor(DType::int32, {50}, 0, 3, 2);
};

void expect_equal_weights(const Model& a, const Model& b) {
  ASSERT_EQ(a.weights().size(), b.weights().size());
  for (size_t i = 0; i < a.weights().size(); ++i) {
    SCOPED_TRACE(a.weights()[i].path());
    test::expect_close(a.weights()[i].value(), b.weights()[i].value().to_doubles(), 2e-5);
  }
}

/// Trains one model on the CPU and its twin on the device; compares losses and weights.
void compare_training(const std::function<Model()>& build, const CompileArguments& compile,
                      const std::function<History(Model&)>& fit) {
  config::set_device("cpu");
  Model on_cpu = build();
  on_cpu.compile(compile);
  const History expected = fit(on_cpu);
  config::set_device("pjrt:cpu");
  Model on_device = build();
  on_device.compile(compile);
  const History actual = fit(on_device);
  for (const auto& [name, values] : expected.history) {
    SCOPED_TRACE(name);
    const auto& others = actual.history.at(name);
    ASSERT_EQ(values.size(), others.size());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(others[i], values[i], 1e-4);
  }
  expect_equal_weights(on_device, on_cpu);
}

TEST_F(TrainingOnDevice, ArraysStayThere) {
  const Data data;
  for (const int64_t steps : {1, 3, 100}) {
    SCOPED_TRACE(steps);
    compare_training(classifier,
                     {.optimizer = "adam",
                      .loss = "sparse_categorical_crossentropy",
                      .metrics = {"accuracy"},
                      .steps_per_execution = steps},
                     [&](Model& model) {
                       return model.fit(
                           data.x, data.y,
                           {.batch_size = 8, .epochs = 3, .verbose = 0, .validation_split = 0.2});
                     });
  }
}

TEST_F(TrainingOnDevice, DataSets) {
  const Data data;
  const auto set = data::Dataset::from_tensor_slices(std::vector<Nest>{data.x, data.y}).batch(8);
  compare_training(
      classifier,
      {.optimizer = "rmsprop", .loss = "sparse_categorical_crossentropy", .steps_per_execution = 4},
      [&](Model& model) { return model.fit(set, {.epochs = 2, .verbose = 0}); });
}

TEST_F(TrainingOnDevice, ConvolutionsAndRecurrence) {
  const auto images = [] {
    utils::set_random_seed(3);
    const Tensor inputs = Input({12, 12, 2});
    Tensor x = Conv2D(4, {3, 3}, {.padding = "same", .activation = "relu"})(inputs);
    x = MaxPooling2D()(x);
    x = Reshape({6, 24})(x);
    x = LSTM(5)(x);
    return Model(inputs, Dense(2)(x));
  };
  const Tensor x = test::random_tensor(DType::float32, {12, 12, 12, 2});
  const Tensor y = test::random_tensor(DType::float32, {12, 2}, -1, 1, 2);
  compare_training(
      images, {.optimizer = "sgd", .loss = "mse", .steps_per_execution = 2},
      [&](Model& model) { return model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0}); });
}

TEST_F(TrainingOnDevice, EvaluateAndPredict) {
  const Data data;
  Model model = classifier();
  model.compile({.loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"},
                 .steps_per_execution = 3});
  const Tensor on_device = model.predict(data.x, {.batch_size = 8, .verbose = 0});
  const Logs logs = model.evaluate(data.x, data.y, {.batch_size = 8, .verbose = 0});
  config::set_device("cpu");
  Model twin = classifier();
  twin.compile({.loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  test::expect_close(on_device, twin.predict(data.x, {.verbose = 0}).tensor().to_doubles(), 1e-5);
  EXPECT_NEAR(logs.at("loss"),
              twin.evaluate(data.x, data.y, {.batch_size = 8, .verbose = 0}).at("loss"), 1e-5);
}

TEST_F(TrainingOnDevice, AModelThatNeedsTheCpuRunsThere) {
  const Tensor inputs = Input({1}, {.dtype = "string"});
  Tensor x = Hashing(4, {.output_mode = "one_hot"})(inputs);
  Model model(inputs, Dense(1)(x));
  model.compile({.loss = "mse"});
  EXPECT_NO_THROW(model.predict(StringTensor({"a", "b"}, {2, 1}), {.verbose = 0}));
}

TEST_F(TrainingOnDevice, ExportsWhatPredictComputes) {
  const std::string path = make_temporary_folder("antler_pjrt") + "/model.mlir";
  export_stablehlo(classifier(), path, {.batch_size = 4});
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("func.func public @main(%0: tensor<4x6xf32>)"), std::string::npos);
  EXPECT_THROW(export_stablehlo(classifier(), path, {.batch_size = 0}), ValueError);
}

}  // namespace
}  // namespace antler::pjrt
