// The statements in the documentation of Keras's training methods, sentence by sentence, as far as
// no other test in this folder checks them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "antler/antler.h"

namespace antler {
namespace {

Tensor column(const std::vector<float>& values) {
  return Tensor::of(values, {static_cast<int64_t>(values.size()), 1});
}

/// Dense(1) without bias whose kernel is 1: targets of 0 make the loss the mean of the squares.
Sequential line() {
  Sequential model({Input({1}), Dense(1, {.use_bias = false})});
  model.set_weights({column({1})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  return model;
}

const Tensor kX = column({1, 2, 3, 4});
const Tensor kZero = column({0, 0, 0, 0});
double loss_of(const Logs& logs) { return logs.at("loss"); }
double first(const History& h, const char* name) { return h.history.at(name).at(0); }

TEST(ApiCompile, ALossAndAMetricMayBeAnyFunction) {
  Sequential model = line();
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1}),
       .loss = [](const Tensor& y_true,
                  const Tensor& y_pred) { return ops::mean(ops::absolute(y_true - y_pred)); },
       .metrics = [](const Tensor&, const Tensor& y_pred) { return ops::max(y_pred); }});
  const HostLogs logs = model.train_on_batch(kX, kZero);
  EXPECT_NEAR(loss_of(logs), 2.5, 1e-6);
  EXPECT_NEAR(logs.at("<lambda>"), 4, 1e-6);
  EXPECT_NEAR(model.get_weights()[0].item(), 1 - 0.1 * 2.5, 1e-6);
}

TEST(ApiFit, ValidationDataIsNotTrainedOnAndDropoutDoesNotTouchIt) {
  Sequential model({Input({1}), Dropout(0.9), Dense(1, {.use_bias = false})});
  model.set_weights({column({1})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor x = column({2, 4});
  const History h =
      model.fit(kZero, kZero, {.epochs = 2, .verbose = 0, .validation_data = {x, column({0, 0})}});
  EXPECT_EQ(*h.history.find("val_loss"), (std::vector<double>{10, 10}));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  model.fit(kZero, kZero, {.verbose = 0, .validation_data = {x, column({0, 0})}});
  EXPECT_EQ(model.get_weights()[0].item(), 1) << "only the zeros were trained on";
}

TEST(ApiFit, TheSplitTakesTheLastSamplesBeforeShuffling) {
  Sequential model = line();
  const History h = model.fit(kX, kZero, {.verbose = 0, .validation_split = 0.25, .shuffle = true});
  EXPECT_EQ(first(h, "val_loss"), 16);
  EXPECT_NEAR(first(h, "loss"), (1 + 4 + 9) / 3.0, 1e-5);
}

TEST(ApiFit, ValidationDataOverridesTheSplit) {
  Sequential model = line();
  const History h = model.fit(
      kX, kZero,
      {.verbose = 0, .validation_split = 0.25, .validation_data = {column({5}), column({0})}});
  EXPECT_EQ(first(h, "val_loss"), 25);
  EXPECT_EQ(first(h, "loss"), 7.5) << "all samples are trained on";
}

TEST(ApiFit, ValidationBatchSizeIsThatOfTraining) {
  Sequential model = line();
  int64_t batches = 0;
  const callbacks::LambdaCallback count(
      {.on_test_batch_end = [&](int64_t, const Logs&) { ++batches; }});
  const auto batches_of = [&](std::optional<int64_t> batch, std::optional<int64_t> validation) {
    batches = 0;
    model.fit(kX, kZero,
              {.batch_size = batch,
               .verbose = 0,
               .callbacks = {count},
               .validation_data = {kX, kZero},
               .validation_batch_size = validation});
    return batches;
  };
  EXPECT_EQ(batches_of({}, {}), 1);  // 32 rows
  EXPECT_EQ(batches_of(2, {}), 2);
  EXPECT_EQ(batches_of(2, 1), 4);
}

TEST(ApiFit, ClassWeightsAreForTrainingOnly) {
  Sequential model = line();
  const History h = model.fit(
      kX, kZero, {.verbose = 0, .validation_data = {kX, kZero}, .class_weight = {{0, 3.0}}});
  EXPECT_EQ(first(h, "loss"), 22.5);
  EXPECT_EQ(first(h, "val_loss"), 7.5);
  EXPECT_EQ(loss_of(model.train_on_batch(kX, kZero, {.class_weight = {{0, 3.0}}})), 22.5);
}

TEST(ApiFit, WeightsOfValidationWeighItsLoss) {
  Sequential model = line();
  const History h = model.fit(
      kX, kZero, {.verbose = 0, .validation_data = {kX, kZero, Tensor::of<float>({0, 0, 0, 1})}});
  EXPECT_EQ(first(h, "loss"), 7.5);
  EXPECT_EQ(first(h, "val_loss"), 4);
}

TEST(ApiFit, ShuffleIsIgnoredForDatasetsAndGenerators) {
  Sequential model = line();
  std::vector<double> losses;
  const callbacks::LambdaCallback note(
      {.on_train_batch_end = [&](int64_t, const Logs& logs) { losses.push_back(loss_of(logs)); }});
  const std::vector<double> in_order = {1, 2.5, 14 / 3.0, 7.5};
  const auto expect_in_order = [&](const FitData& data) {
    losses.clear();
    model.fit(data, {.verbose = 0, .callbacks = {note}, .shuffle = true});
    ASSERT_EQ(losses.size(), 4U);
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(losses[i], in_order[i], 1e-5);
  };
  expect_in_order(data::Dataset::from_tensor_slices({kX, kZero}).batch(1));
  expect_in_order(data::Generator([i = 0.0F]() mutable -> std::optional<Nest> {
    if (i == 4) return std::nullopt;
    return Nest{column({++i}), column({0})};
  }));
}

TEST(ApiFit, VerboseAutoIsABarOrALineWithoutInteractiveLogging) {
  Sequential model = line();
  const auto printed = [&](std::optional<int> verbose) {
    std::string text;
    logging::set_sink([&](std::string_view part) { text += part; });
    model.fit(kX, kZero, {.verbose = verbose});
    logging::set_sink({});
    return text;
  };
  EXPECT_NE(printed({}).find("1/1 [==============================]"), std::string::npos);
  EXPECT_EQ(printed(0), "");
  logging::disable_interactive_logging();
  EXPECT_TRUE(printed({}).starts_with("1/1 - 0s - loss: 7.5000 - ")) << printed({});
  logging::enable_interactive_logging();
}

/// Notes what its steps get.
class Parts : public Model {
 public:
  Parts() : Model(LayerOptions{}) {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x; }
  Nest call(const Nest& x, const CallOptions&) override {
    return x.is_dict() ? x.items()[0].second : x;
  }
  Logs test_step(const Batch& batch) override {
    seen = batch.x.structure() + " " + (batch.y.is_none() ? "-" : batch.y.structure()) + " " +
           (batch.sample_weight.is_none() ? "-" : batch.sample_weight.structure());
    return {{"one", ops::ones({})}};
  }
  std::string seen;
};

TEST(ApiUnpacking, ElementsOfOneTwoOrThreePartsAndAnythingElseIsX) {
  const auto seen = [](const Nest& element) {
    Parts model;
    model.compile({});
    model.evaluate(data::Dataset::from_tensor_slices(element).batch(2), {.verbose = 0});
    return model.seen;
  };
  const std::string one = Nest(kX).structure();
  const Nest named = Nest::dict({{"x0", kX}});
  EXPECT_EQ(seen(kX), one + " - -");
  EXPECT_EQ(seen(Nest{kX}), one + " - -");
  EXPECT_EQ(seen(Nest{kX, kZero}), one + " " + one + " -");
  EXPECT_EQ(seen(Nest{kX, kZero, kX}), one + " " + one + " " + one);
  EXPECT_EQ(seen(Nest{named, kZero}), named.structure() + " " + one + " -");
  // The keys of a single dictionary are not taken for features, targets and weights.
  const Nest all = Nest::dict({{"x", kX}, {"y", kZero}});
  EXPECT_EQ(seen(all), all.structure() + " - -");
}

TEST(ApiEvaluate, ValuesComeUnderMetricsNamesAndCallbacksAreTold) {
  Sequential model = line();
  model.compile({.loss = "mse", .metrics = {"mae", "mse"}});
  std::vector<std::string> events;
  const callbacks::LambdaCallback note(
      {.on_test_begin = [&](const Logs&) { events.emplace_back("begin"); },
       .on_test_end =
           [&](const Logs& logs) {
             events.emplace_back("end");
             EXPECT_EQ(logs.size(), 3U);
           }});
  const HostLogs logs = model.evaluate(kX, kZero, {.verbose = 0, .callbacks = {note}});
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) names.push_back(name);
  EXPECT_EQ(names, model.metrics_names());
  EXPECT_EQ(names, (std::vector<std::string>{"loss", "mae", "mse"}));
  EXPECT_EQ(events, (std::vector<std::string>{"begin", "end"}));
}

TEST(ApiPredict, TargetsOfADatasetAreIgnoredAndCallEqualsPredict) {
  Sequential model({Input({1}), Dropout(0.5), BatchNormalization(), Dense(2)});
  const Tensor got =
      model.predict(data::Dataset::from_tensor_slices({kX, kZero, kX}).batch(3), {.verbose = 0})
          .tensor();
  EXPECT_EQ(got.shape(), (Shape{4, 2}));
  const std::vector<double> called = model(kX, {.training = false}).to_doubles();
  const std::vector<double> on_batch = model.predict_on_batch(kX).tensor().to_doubles();
  for (size_t i = 0; i < called.size(); ++i) {
    EXPECT_NEAR(got.to_doubles()[i], called[i], 1e-6);
    EXPECT_NEAR(on_batch[i], called[i], 1e-6);
  }
}

TEST(ApiPredict, AStatefulModelWantsWholeBatches) {
  const Tensor in = Input({3, 1}, {.batch_size = 2});
  Model model(in, SimpleRNN(2, {.stateful = true})(in));
  const Tensor x = Tensor::zeros(DType::float32, {5, 3, 1});
  EXPECT_THROW(model.predict(x, {.batch_size = 2, .verbose = 0}), ValueError);
  const Tensor whole = ops::slice_axis(x, 0, 0, 4);
  EXPECT_EQ(model.predict(whole, {.batch_size = 2, .verbose = 0}).tensor().shape(), (Shape{4, 2}));
}

TEST(ApiOnBatch, WeightsOfSamplesAndOfSteps) {
  Sequential model = line();
  const Tensor weights = Tensor::of<float>({0, 0, 0, 1});
  EXPECT_EQ(loss_of(model.train_on_batch(kX, kZero, {.sample_weight = weights})), 4);
  EXPECT_EQ(loss_of(model.test_on_batch(kX, kZero, {.sample_weight = weights})), 4);
  const Tensor in = Input({2, 1});
  Model temporal(in, Dense(1, {.use_bias = false, .kernel_initializer = "ones"})(in));
  temporal.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = ops::reshape(kX, {2, 2, 1});
  const Tensor y = ops::reshape(kZero, {2, 2, 1});
  const Tensor steps = Tensor::of<float>({1, 0, 0, 1}, {2, 2});
  EXPECT_NEAR(loss_of(temporal.test_on_batch(x, y, {.sample_weight = steps})), (1 + 16) / 4.0,
              1e-6);
}

TEST(ApiOnBatch, NoneOfThemRunsInsideOfATracedFunction) {
  Sequential model = line();
  const auto wrapped = [&](const std::function<void()>& call) {
    return tf::function(Function::Body([call](const Nest& batch) {
      call();
      return batch;
    }));
  };
  EXPECT_THROW(wrapped([&] { model.predict(kX, {.verbose = 0}); })(kX), RuntimeError);
  EXPECT_THROW(wrapped([&] { model.train_on_batch(kX, kZero); })(kX), RuntimeError);
  EXPECT_THROW(wrapped([&] { model.test_on_batch(kX, kZero); })(kX), RuntimeError);
  EXPECT_THROW(wrapped([&] { model.predict_on_batch(kX); })(kX), RuntimeError);
  EXPECT_EQ(loss_of(model.test_on_batch(kX, kZero)), 7.5);
}

/// Counts the calls of its step function: once for a graph, at each step when it runs eagerly.
class Counting : public Model {
 public:
  Counting() : Model(LayerOptions{}) {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x; }
  Logs test_step(const Batch& batch) override {
    ++calls;
    return Model::test_step(batch);
  }
  int64_t calls = 0;
};

TEST(ApiRunEagerly, IsSettableAndRunsTheCodeAtEachStep) {
  Counting model;
  model.compile({.loss = "mse"});
  EXPECT_FALSE(model.run_eagerly());
  const auto calls = [&] {
    model.calls = 0;
    model.evaluate(kX, kZero, {.batch_size = 1, .verbose = 0});
    return model.calls;
  };
  EXPECT_EQ(calls(), 1);
  model.set_run_eagerly(true);
  EXPECT_TRUE(model.run_eagerly());
  EXPECT_EQ(calls(), 4);
  model.set_run_eagerly(false);
  EXPECT_EQ(calls(), 1);
}

}  // namespace
}  // namespace antler
