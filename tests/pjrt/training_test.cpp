#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/pjrt/export_stablehlo.h"
#include "base/temporary_folder.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// Training on the device gives the same results as on the CPU.
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

TEST_F(TrainingOnDevice, ValuesComputedAgain) {
  const Data data;
  const auto again = [] {
    const RematScope scope;
    return classifier();
  };
  compare_training(again, {.optimizer = "adam", .loss = "sparse_categorical_crossentropy"},
                   [&](Model& model) {
                     return model.fit(data.x, data.y, {.batch_size = 8, .epochs = 2, .verbose = 0});
                   });
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

/// Records the calls of batch hooks, which the device does not wait for.
struct Observer : Callback {
  explicit Observer(std::vector<std::string>* calls_to) : calls(calls_to) {}
  bool async_safe() const override { return true; }
  void on_train_batch_begin(int batch, const Logs&) override { add("train", batch); }
  void on_train_batch_end(int batch, const Logs& logs) override { add("trained", batch, logs); }
  void on_test_batch_begin(int batch, const Logs&) override { add("test", batch); }
  void on_test_batch_end(int batch, const Logs& logs) override { add("tested", batch, logs); }
  void add(const char* what, int batch, const Logs& logs = {}) const {
    calls->push_back(format("{} {}", what, batch));
    for (const auto& [name, value] : logs) calls->back() += format(" {} {:.3f}", name, value);
  }
  std::vector<std::string>* calls;
};

TEST_F(TrainingOnDevice, ObserversSeeEachExecution) {
  const Data data;  // seven batches of eight rows; the last one has two
  for (const int64_t steps : {1, 3}) {
    SCOPED_TRACE(steps);
    std::vector<std::string> calls[2];
    for (const bool is_device : {false, true}) {
      config::set_device(is_device ? "pjrt:cpu" : "cpu");
      Model model = classifier();
      model.compile({.optimizer = "sgd",
                     .loss = "sparse_categorical_crossentropy",
                     .metrics = {"accuracy"},
                     .steps_per_execution = steps});
      const Observer observer(&calls[is_device ? 1 : 0]);
      model.fit(data.x, data.y,
                {.batch_size = 8,
                 .epochs = 2,
                 .verbose = 0,
                 .callbacks = {observer},
                 .validation_data = {data.x, data.y},
                 .shuffle = false});
    }
    EXPECT_GT(calls[0].size(), 4 * (7 / static_cast<size_t>(steps)));
    EXPECT_EQ(calls[1], calls[0]);
  }
}

// Short steps are run in groups after a while; each is reported all the same.
TEST_F(TrainingOnDevice, ObserversSeeEachOfManySteps) {
  struct Counter : Callback {
    explicit Counter(std::vector<double>* losses_to) : losses(losses_to) {}
    bool async_safe() const override { return true; }
    void on_train_batch_end(int batch, const Logs& logs) override {
      ASSERT_EQ(batch, static_cast<int>(losses->size() % 300));
      losses->push_back(logs.at("loss"));
    }
    std::vector<double>* losses;
  };
  const Tensor x = test::random_tensor(DType::float32, {600, 3});
  const Tensor y = test::random_tensor(DType::float32, {600, 1}, -1, 1, 2);
  std::vector<double> losses[2];
  for (const bool is_device : {false, true}) {
    config::set_device(is_device ? "pjrt:cpu" : "cpu");
    utils::set_random_seed(4);
    const Tensor inputs = Input({3});
    Model model(inputs, Dense(1)(inputs));
    model.compile({.optimizer = "sgd", .loss = "mse"});
    model.fit(x, y,
              {.batch_size = 2,
               .epochs = 20,
               .verbose = 0,
               .callbacks = {Counter(&losses[is_device ? 1 : 0])}});
  }
  ASSERT_EQ(losses[0].size(), 20U * 300);
  ASSERT_EQ(losses[1].size(), losses[0].size());
  for (size_t i = 0; i < losses[0].size(); ++i) ASSERT_NEAR(losses[1][i], losses[0][i], 1e-4) << i;
}

TEST_F(TrainingOnDevice, ObserverThatThrows) {
  struct Thrower : Callback {
    bool async_safe() const override { return true; }
    void on_train_batch_end(int batch, const Logs&) override {
      if (batch == 3) throw std::domain_error("seen enough");
    }
  };
  const Data data;
  Model model = classifier();
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  EXPECT_THROW(model.fit(data.x, data.y, {.batch_size = 8, .verbose = 0, .callbacks = {Thrower()}}),
               std::domain_error);
  const double before = model.evaluate(data.x, data.y, {.verbose = 0}).at("loss");
  model.fit(data.x, data.y, {.batch_size = 8, .epochs = 5, .verbose = 0});
  EXPECT_LT(model.evaluate(data.x, data.y, {.verbose = 0}).at("loss"), before);
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
