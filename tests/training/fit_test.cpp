#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "antler/antler.h"
#include "training/columns.h"

namespace antler {
namespace {

using test::column;
using test::line;

/// Names and indices of the hooks that ran.
class Recorder : public Callback {
 public:
  std::vector<std::string> events;
  void on_train_begin(const Logs&) override { events.emplace_back("train_begin"); }
  void on_train_end(const Logs&) override { events.emplace_back("train_end"); }
  void on_epoch_begin(int e, const Logs&) override { add("epoch_begin", e); }
  void on_epoch_end(int e, const Logs& logs) override {
    add("epoch_end", e);
    last = logs;
  }
  void on_train_batch_begin(int b, const Logs&) override { add("begin", b); }
  void on_train_batch_end(int b, const Logs&) override { add("end", b); }
  void on_test_begin(const Logs&) override { events.emplace_back("test_begin"); }
  void on_test_end(const Logs&) override { events.emplace_back("test_end"); }
  void on_test_batch_begin(int b, const Logs&) override { add("test_batch_begin", b); }
  void on_test_batch_end(int b, const Logs&) override { add("test_batch_end", b); }
  Logs last;

 private:
  void add(const char* what, int64_t index) {
    events.push_back(std::string(what) + " " + std::to_string(index));
  }
};

TEST(Evaluate, LossIsTheMeanOverSamples) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const HostLogs logs =
      model.evaluate(column({1, 2, 3}), column({0, 0, 0}), {.batch_size = 2, .verbose = 0});
  EXPECT_NEAR(logs.at("loss"), (2.5 * 2 + 9) / 3, 1e-6);
  EXPECT_NEAR(logs.at("mae"), 2, 1e-6);
}

TEST(Evaluate, SampleWeightsDivideTheLossByTheBatchAndTheMetricByTheWeights) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"mae"}});
  const HostLogs logs = model.evaluate(
      column({1, 2, 3}), column({0, 0, 0}),
      {.batch_size = 2, .verbose = 0, .sample_weight = Tensor::of(std::vector<float>{1, 0, 2})});
  EXPECT_NEAR(logs.at("loss"), (0.5 * 2 + 18) / 3, 1e-6);
  EXPECT_NEAR(logs.at("mae"), 7.0 / 3, 1e-6);
}

TEST(Fit, OneStepOfSgdByHand) {
  Sequential model = line(1);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  model.fit(column({1, 2}), column({0, 0}), {.batch_size = 2, .verbose = 0, .shuffle = false});
  // d/dw mean((w x)^2) = mean(2 w x^2) = 5
  EXPECT_NEAR(model.get_weights()[0].item(), 0.5, 1e-6);
}

TEST(Fit, HistoryHasAValueForEachEpoch) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  const History h = model.fit(
      column({1, 2, 3, 4}), column({2, 4, 6, 8}),
      {.batch_size = 2, .epochs = 3, .verbose = 0, .validation_split = 0.5, .validation_freq = 2});
  EXPECT_EQ(h.epoch, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(h.history.at("loss").size(), 3U);
  EXPECT_EQ(h.history.at("mae").size(), 3U);
  EXPECT_EQ(h.history.at("val_loss").size(), 1U);
  EXPECT_EQ(h.params.steps, 1);
  EXPECT_EQ(h.params.epochs, 3);
}

TEST(Fit, HooksComeInKerasOrder) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  auto recorder = std::make_shared<Recorder>();
  model.fit(column({1, 2, 3}), column({2, 4, 6}),
            {.batch_size = 2,
             .verbose = 0,
             .callbacks = {recorder},
             .validation_data = {column({1}), column({2})}});
  EXPECT_EQ(recorder->events,
            (std::vector<std::string>{"train_begin", "epoch_begin 0", "begin 0", "end 0", "begin 1",
                                      "end 1", "test_begin", "test_batch_begin 0",
                                      "test_batch_end 0", "test_end", "epoch_end 0", "train_end"}));
  EXPECT_TRUE(recorder->last.contains("val_loss"));
}

class Cadence : public ::testing::TestWithParam<std::pair<int64_t, std::vector<std::string>>> {};

TEST_P(Cadence, BatchHooksComeOncePerExecution) {
  const auto& [steps, expected] = GetParam();
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = steps});
  auto recorder = std::make_shared<Recorder>();
  const Tensor x = Tensor::zeros(DType::float32, {10, 1});
  model.fit(x, x, {.batch_size = 1, .verbose = 0, .callbacks = {recorder}});
  std::vector<std::string> batches;
  for (const std::string& e : recorder->events) {
    if (e.starts_with("begin") || e.starts_with("end")) batches.push_back(e);
  }
  EXPECT_EQ(batches, expected);
}

using Strings = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(
    StepsPerExecution, Cadence,
    ::testing::Values(std::pair{int64_t{3}, Strings{"begin 0", "end 2", "begin 3", "end 5",
                                                    "begin 6", "end 8", "begin 9", "end 9"}},
                      std::pair{int64_t{20}, Strings{"begin 0", "end 9"}},
                      std::pair{int64_t{4}, Strings{"begin 0", "end 3", "begin 4", "end 7",
                                                    "begin 8", "end 9"}}),
    [](const auto& info) { return format("{}_steps", info.param.first); });

TEST(Fit, StopRequestStillReportsTheEpoch) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  int64_t batches = 0;
  const callbacks::LambdaCallback stop({.on_batch_end = [&](int64_t batch, const Logs&) {
    ++batches;
    if (batch == 1) model.set_stop_training(true);
  }});
  const Tensor x = Tensor::zeros(DType::float32, {6, 1});
  const History h =
      model.fit(x, x, {.batch_size = 1, .epochs = 4, .verbose = 0, .callbacks = {stop}});
  EXPECT_EQ(batches, 2);
  EXPECT_EQ(h.epoch.size(), 1U);
}

TEST(Fit, ArraysAreOneStreamOfAsManyPassesAsEpochs) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  std::string warnings;
  logging::set_warning_sink([&](std::string_view text) { warnings += text; });
  const Tensor x = Tensor::zeros(DType::float32, {10, 1});
  auto recorder = std::make_shared<Recorder>();
  // 4 epochs of 4 steps fit into 4 passes of 10 batches.
  EXPECT_EQ(model.fit(x, x, {.batch_size = 1, .epochs = 4, .verbose = 0, .steps_per_epoch = 4})
                .epoch.size(),
            4U);
  EXPECT_EQ(warnings, "");
  // 2 epochs of 12 steps do not fit into 2 passes: the second one has 8.
  const History h = model.fit(
      x, x,
      {.batch_size = 1, .epochs = 2, .verbose = 0, .callbacks = {recorder}, .steps_per_epoch = 12});
  logging::set_warning_sink({});
  EXPECT_EQ(h.epoch.size(), 2U);
  EXPECT_NE(warnings.find("24 batches"), std::string::npos) << warnings;
  EXPECT_EQ(std::count(recorder->events.begin(), recorder->events.end(), "end 7"), 2);
  EXPECT_EQ(std::count(recorder->events.begin(), recorder->events.end(), "end 8"), 1);
  // No begin without an end.
  EXPECT_EQ(std::count(recorder->events.begin(), recorder->events.end(), "begin 8"), 1);
}

TEST(Fit, EmptyRangeOfEpochsTrainsNothing) {
  Sequential model = line(1);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const History h =
      model.fit(column({1}), column({2}), {.epochs = 2, .verbose = 0, .initial_epoch = 2});
  EXPECT_TRUE(h.epoch.empty());
  const auto recorder = std::make_shared<Recorder>();
  for (const int64_t epochs : {0, -1}) {
    const History none = model.fit(column({1}), column({2}),
                                   {.epochs = epochs, .verbose = 0, .callbacks = {recorder}});
    EXPECT_TRUE(none.epoch.empty());
    EXPECT_EQ(none.history.size(), 0U);
  }
  EXPECT_EQ(recorder->events,
            (std::vector<std::string>{"train_begin", "train_end", "train_begin", "train_end"}));
  EXPECT_EQ(model.get_weights()[0].item(), 1);
}

TEST(Fit, ErrorsNameWhatIsWrongAndLeaveTheModelUsable) {
  Sequential model = line(1);
  const Tensor x = column({1, 2});
  EXPECT_THROW(model.fit(x, x, {.verbose = 0}), ValueError);  // not compiled
  EXPECT_THROW(model.compile({.optimizer = "no_such_optimizer"}), ValueError);
  model.compile({.optimizer = "sgd", .loss = "no_such_loss"});
  EXPECT_THROW(model.fit(x, x, {.verbose = 0}), ValueError);
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"no_such_metric"}});
  EXPECT_THROW(model.fit(x, x, {.verbose = 0}), ValueError);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_THROW(model.fit(x, {}, {.verbose = 0}), ValueError);  // targets missing
  EXPECT_THROW(model.fit(x, column({1, 2, 3}), {.verbose = 0}), ValueError);
  EXPECT_THROW(model.fit(x, x, {.batch_size = 0, .verbose = 0}), ValueError);
  EXPECT_THROW(model.fit(x, x, {.verbose = 0, .validation_split = 1.0}), ValueError);
  EXPECT_THROW(model.fit(Tensor::zeros(DType::float32, {2, 3}), x, {.verbose = 0}),
               ValueError);  // wrong features
  const metrics::Mean twice;
  EXPECT_THROW(model.compile({.loss = "mse", .metrics = {twice, twice}}), ValueError);
  model.fit(x, x, {.verbose = 0});
}

TEST(TrainOnBatch, KeepsAggregatingWithoutReset) {
  Sequential model = line(1);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  EXPECT_NEAR(*model.train_on_batch(column({1}), column({0})).find("loss"), 1, 1e-6);
  EXPECT_NEAR(
      *model.train_on_batch(column({3}), column({0}), {.reset_metrics = false}).find("loss"), 5,
      1e-6);
  EXPECT_NEAR(*model.test_on_batch(column({3}), column({0})).find("loss"), 9, 1e-6);
}

TEST(Predict, AnExecutionOfSeveralStepsKeepsAllOutputs) {
  Sequential model = line(2);
  std::vector<float> values(19);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor x = column(values);
  std::vector<std::string> events;
  std::vector<double> seen;
  const callbacks::LambdaCallback recorder(
      {.on_predict_batch_begin =
           [&](int64_t b, const Logs&) { events.push_back("begin " + std::to_string(b)); },
       .on_predict_batch_end =
           [&](int64_t b, const Nest& outputs) {
             events.push_back("end " + std::to_string(b));
             for (const double v : outputs.tensor().to_doubles()) seen.push_back(v);
           }});
  const auto predict = [&](int64_t steps, bool eager) {
    model.compile({.loss = "mse", .run_eagerly = eager, .steps_per_execution = steps});
    events.clear();
    seen.clear();
    return model.predict(x, {.batch_size = 2, .verbose = 0, .callbacks = {recorder}})
        .tensor()
        .to_doubles();
  };
  const std::vector<double> expected = (x * 2.0).to_doubles();
  for (const int64_t steps : {1, 3, 4, 20}) {
    for (const bool eager : {false, true}) {
      EXPECT_EQ(predict(steps, eager), expected) << steps;
      EXPECT_EQ(seen, expected) << steps;
      EXPECT_EQ(model.predict_counter(), 10);
    }
  }
  predict(4, false);
  EXPECT_EQ(events,
            (std::vector<std::string>{"begin 0", "end 3", "begin 4", "end 7", "begin 8", "end 9"}));
}

TEST(Predict, KeepsOrderAndThePartialBatch) {
  Sequential model = line(2);
  const Nest y = model.predict(column({1, 2, 3, 4, 5}), {.batch_size = 2, .verbose = 0});
  EXPECT_EQ(y.tensor().to_doubles(), (std::vector<double>{2, 4, 6, 8, 10}));
}

// As the rows of Keras 2's ragged tensor.
TEST(Predict, BatchesOfOtherLengthsBecomeAListOfRows) {
  const Tensor in = Input({Shape::kUnknown, 2});
  const Tensor doubled = Rescaling(2.0)(in);
  const Model model(in, Nest::dict({{"rows", doubled}, {"means", GlobalAveragePooling1D()(in)}}));
  const auto predict = [&](std::vector<int64_t> lengths, int64_t steps_per_execution) {
    Model m = model;
    m.compile({.steps_per_execution = steps_per_execution});
    const auto batches = [lengths, next = size_t{0}]() mutable -> std::optional<Nest> {
      if (next == lengths.size()) return std::nullopt;
      const Shape shape = {2, lengths[next], 2};
      return Tensor::full(DType::float32, shape, static_cast<double>(next++));
    };
    return m.predict(data::Generator(batches),
                     {.verbose = 0, .steps = static_cast<int64_t>(lengths.size())});
  };
  for (const int64_t steps : {1, 3}) {
    const Nest ragged = predict({4, 4, 3, 5}, steps);
    ASSERT_TRUE(ragged.at("rows").is_list());
    ASSERT_EQ(ragged.at("rows").size(), 8U);
    for (const size_t i : {0, 3, 5, 7}) {
      const Tensor row = ragged.at("rows")[i].tensor();
      EXPECT_EQ(row.shape(), (Shape{i < 4 ? 4 : i < 6 ? 3 : 5, 2})) << i;
      EXPECT_EQ(row.to_doubles().back(), static_cast<double>(i - i % 2));
    }
    EXPECT_EQ(ragged.at("means").tensor().shape(), (Shape{8, 2}));
  }
  EXPECT_EQ(predict({3, 3}, 1).at("rows").tensor().shape(), (Shape{4, 3, 2}));
}

/// A convnet with dropout, trained for two short epochs; its weights afterwards.
std::vector<Tensor> train_small(int64_t steps_per_execution, bool jit = true) {
  set_random_seed(7);
  Sequential model({Input({8, 8, 1}), Conv2D(4, {3, 3}, {.activation = "relu"}),
                    MaxPooling2D({.pool_size = {2, 2}}), Flatten(), Dropout(0.3),
                    Dense(16, {.activation = "relu"}), Dense(10)});
  model.compile({.optimizer = "adam",
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"},
                 .steps_per_execution = steps_per_execution,
                 .jit_compile = jit});
  auto [train, test] = data::digits();
  const Tensor x = ops::slice_axis(train.x, 0, 0, 300);
  const Tensor y = ops::slice_axis(train.y, 0, 0, 300);
  model.fit(x, y, {.batch_size = 16, .epochs = 2, .verbose = 0});
  return model.get_weights();
}

void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::memcmp(a[i].data(), b[i].data(), a[i].bytes()), 0) << i;
}

TEST(Reproducible, SameSeedSameBitsForAnyStepsPerExecution) {
  const auto one = train_small(1);
  expect_same_bits(one, train_small(1));
  expect_same_bits(one, train_small(7));
  expect_same_bits(one, train_small(100));
}

TEST(Reproducible, DeterministicForAnyNumberOfThreads) {
  config::deterministic(true);
  const int before = config::threads();
  config::set_threads(1);
  const auto one = train_small(5);
  config::set_threads(2);
  const auto two = train_small(5);
  config::set_threads(before);
  config::deterministic(false);
  expect_same_bits(one, two);
}

TEST(Reproducible, FusionChangesRoundingOnly) {
  const auto fused = train_small(5);
  const auto plain = train_small(5, false);
  for (size_t i = 0; i < fused.size(); ++i) {
    const auto a = fused[i].to_doubles();
    const auto b = plain[i].to_doubles();
    for (size_t k = 0; k < a.size(); ++k)
      ASSERT_NEAR(a[k], b[k], 2e-3) << "weight " << i << " element " << k;
  }
}

TEST(RunEagerly, TrainsToTheSameWeights) {
  const auto run = [](bool eager) {
    Sequential model = line(1);
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}, .run_eagerly = eager});
    model.fit(column({1, 2, 3}), column({0, 1, 0}),
              {.batch_size = 2, .epochs = 3, .verbose = 0, .shuffle = false});
    return model.get_weights()[0].item();
  };
  EXPECT_NEAR(run(true), run(false), 1e-6);
}

}  // namespace
}  // namespace antler
