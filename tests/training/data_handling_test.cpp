#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "antler/antler.h"
#include "training/columns.h"

namespace antler {
namespace {

using test::column;
using test::line;

Sequential compiled_line(float w) {
  Sequential result = line(w);
  result.compile({.optimizer = "sgd", .loss = "mse"});
  return result;
}

struct Behaviour {
  int64_t told = 0;       ///< what num_batches() says
  int64_t per_pass = 0;   ///< batches of a pass; negative: endless
  bool restarts = true;   ///< false: a generator
  int64_t fails_at = -1;  ///< batch that throws
  DataSource::Epochs epochs = DataSource::Epochs::whole_passes;
};

/// Batches (i, i) of one row.
class Counting : public DataSource {
 public:
  explicit Counting(Behaviour behaviour) : b_(behaviour) {}
  int64_t num_batches() const override { return b_.told; }
  Epochs epochs() const override { return b_.epochs; }
  void on_epoch_end() override { ++epoch_ends; }
  void reset() override {
    ++resets;
    if (b_.restarts) at_ = 0;
  }
  bool peek(Nest& specs) override {
    if (batch_rows() == 0) return false;
    const Tensor spec = Tensor::spec_only({DType::float32, {1, 1}});
    specs = std::vector<Nest>{spec, spec, Tensor()};
    return true;
  }
  bool fill(std::span<void* const> buffers) override {
    if (batch_rows() == 0) return false;
    if (at_ == b_.fails_at) throw IOError("the disk is gone");
    for (void* b : buffers) *static_cast<float*>(b) = static_cast<float>(at_);
    ++at_;
    return true;
  }
  int64_t signature() override { return 0; }
  int64_t batch_rows() override { return b_.per_pass < 0 || at_ < b_.per_pass ? 1 : 0; }

  int resets = 0;
  int epoch_ends = 0;

 private:
  Behaviour b_;
  int64_t at_ = 0;
};

std::shared_ptr<Counting> counting(const Behaviour& behaviour) {
  return std::make_shared<Counting>(behaviour);
}

/// Indices of the batch hooks, epoch by epoch: "0-2 3-4 | 0-1".
class Indices : public Callback {
 public:
  std::string text;
  void on_epoch_begin(int, const Logs&) override { text += text.empty() ? "" : "| "; }
  void on_train_batch_begin(int b, const Logs&) override { text += std::to_string(b) + "-"; }
  void on_train_batch_end(int b, const Logs&) override { text += std::to_string(b) + " "; }
  void on_test_begin(const Logs&) override { text += "( "; }
  void on_test_batch_begin(int b, const Logs&) override { text += std::to_string(b) + "-"; }
  void on_test_batch_end(int b, const Logs&) override { text += std::to_string(b) + " "; }
  void on_test_end(const Logs&) override { text += ") "; }
};

class DataHandling : public ::testing::Test {
 protected:
  DataHandling() {
    logging::set_warning_sink([this](std::string_view text) { warnings_ += text; });
  }
  ~DataHandling() override { logging::set_warning_sink({}); }
  FitOptions options(int64_t epochs) {
    return {.epochs = epochs, .verbose = 0, .callbacks = {indices_}};
  }
  std::string warnings_;
  std::shared_ptr<Indices> indices_ = std::make_shared<Indices>();
  Sequential model_ = compiled_line(1);
};

constexpr int64_t kUnknown = DataSource::kUnknown;
constexpr int64_t kEndless = DataSource::kEndless;

TEST_F(DataHandling, DataOfUnknownSizeIsReadToItsEndInEachEpoch) {
  const auto data = counting({.told = kUnknown, .per_pass = 3});
  const History h = model_.fit(data, options(2));
  EXPECT_EQ(indices_->text, "0-0 1-1 2-2 | 0-0 1-1 2-2 ");
  EXPECT_EQ(h.epoch.size(), 2U);
  EXPECT_EQ(h.params.steps, -1);
  EXPECT_EQ(data->epoch_ends, 2);
  EXPECT_EQ(warnings_, "");
}

TEST_F(DataHandling, AGeneratorIsOnePassOverAllEpochs) {
  // All of it goes into the first epoch; the second has nothing and is not reported.
  const History all =
      model_.fit(counting({.told = kUnknown, .per_pass = 5, .restarts = false}), options(2));
  EXPECT_EQ(indices_->text, "0-0 1-1 2-2 3-3 4-4 ");
  EXPECT_EQ(all.epoch, (std::vector<int64_t>{0}));
  EXPECT_NE(warnings_.find("10 batches"), std::string::npos) << warnings_;
  indices_->text.clear();
  FitOptions by_steps = options(4);
  by_steps.steps_per_epoch = 2;
  const History h =
      model_.fit(counting({.told = kUnknown, .per_pass = 5, .restarts = false}), by_steps);
  EXPECT_EQ(indices_->text, "0-0 1-1 | 0-0 1-1 | 0-0 ");
  EXPECT_EQ(h.epoch.size(), 3U);
}

TEST_F(DataHandling, ADataSetGoesOnOverEpochsOfAnotherSize) {
  FitOptions o = options(4);
  o.steps_per_epoch = 4;
  const auto data = counting({.told = 10, .per_pass = 10});
  const History h = model_.fit(data, o);
  EXPECT_EQ(indices_->text, "0-0 1-1 2-2 3-3 | 0-0 1-1 2-2 3-3 | 0-0 1-1 ");
  EXPECT_EQ(h.epoch.size(), 3U);
  EXPECT_EQ(data->resets, 1);
  EXPECT_NE(warnings_.find("16 batches"), std::string::npos) << warnings_;
  // Where an epoch is a whole pass, each begins anew.
  const auto whole = counting({.told = 4, .per_pass = 4});
  model_.fit(whole, o);
  EXPECT_EQ(whole->resets, 4);
}

TEST_F(DataHandling, ASequenceBeginsAnewInEachEpoch) {
  FitOptions o = options(3);
  o.steps_per_epoch = 2;
  const auto data = counting({.told = 5, .per_pass = 5, .epochs = DataSource::Epochs::new_pass});
  model_.fit(data, o);
  EXPECT_EQ(data->resets, 3);
  EXPECT_EQ(data->epoch_ends, 3);
  o.steps_per_epoch = 7;
  EXPECT_EQ(model_.fit(data, o).epoch.size(), 1U);  // runs out, is reported, ends
}

TEST_F(DataHandling, EndlessDataNeedsANumberOfSteps) {
  const Behaviour endless = {.told = kEndless, .per_pass = -1};
  EXPECT_THROW(model_.fit(counting(endless), options(1)), ValueError);
  FitOptions o = options(2);
  o.steps_per_epoch = 2;
  EXPECT_EQ(model_.fit(counting(endless), o).epoch.size(), 2U);
  EXPECT_EQ(indices_->text, "0-0 1-1 | 0-0 1-1 ");
}

TEST_F(DataHandling, AnEndlessEpochEndsByACallback) {
  FitOptions o = options(3);
  o.steps_per_epoch = -1;
  o.callbacks.push_back(callbacks::LambdaCallback({.on_batch_end = [&](int64_t b, const Logs&) {
    if (b == 4) model_.set_stop_training(true);
  }}));
  const History h = model_.fit(counting({.told = kEndless, .per_pass = -1}), o);
  EXPECT_EQ(indices_->text, "0-0 1-1 2-2 3-3 4-4 ");
  EXPECT_EQ(h.epoch.size(), 1U);
  EXPECT_EQ(h.params.steps, -1);
  EXPECT_THROW(model_.fit(column({1}), column({1}), {.verbose = 0, .steps_per_epoch = -1}),
               ValueError);
  EXPECT_THROW(model_.fit(counting({.told = 3, .per_pass = 3}), o), ValueError);
}

TEST_F(DataHandling, SeveralStepsPerExecutionNeedAKnownSize) {
  model_.set_steps_per_execution(2);
  const Behaviour unknown = {.told = kUnknown, .per_pass = 5, .restarts = false};
  EXPECT_THROW(model_.fit(counting(unknown), options(1)), ValueError);
  EXPECT_THROW(model_.evaluate(counting(unknown), {.verbose = 0}), ValueError);
  FitOptions o = options(2);
  o.steps_per_epoch = 3;
  // 5 of 6 batches: the last execution of one step is complete, the next one has no data.
  const History h = model_.fit(counting(unknown), o);
  EXPECT_EQ(indices_->text, "0-1 2-2 | 0-1 ");
  EXPECT_EQ(h.epoch.size(), 2U);
  EXPECT_EQ(model_.train_counter(), 5);
  EXPECT_EQ(model_.optimizer().iterations().stored().item(), 5);
}

TEST_F(DataHandling, DataThatEndsInsideAnExecutionLosesNothing) {
  model_.set_steps_per_execution(4);
  FitOptions o = options(2);
  o.steps_per_epoch = 6;
  model_.fit(counting({.told = kUnknown, .per_pass = 3, .restarts = false}), o);
  EXPECT_EQ(indices_->text, "0-2 ");
  EXPECT_EQ(model_.optimizer().iterations().stored().item(), 3);
  EXPECT_NE(warnings_.find("12 batches"), std::string::npos) << warnings_;
}

TEST_F(DataHandling, EmptyDataIsRefused) {
  EXPECT_THROW(model_.fit(counting({.told = 0, .per_pass = 0}), options(1)), ValueError);
  EXPECT_THROW(model_.fit(counting({.told = kUnknown, .per_pass = 0}), options(1)), ValueError);
  EXPECT_THROW(model_.evaluate(counting({.told = kUnknown, .per_pass = 0}), {.verbose = 0}),
               ValueError);
  EXPECT_THROW(model_.predict(counting({.told = 0, .per_pass = 0}), {.verbose = 0}), ValueError);
}

TEST_F(DataHandling, TargetsAndWeightsBelongToTheBatchesOfASource) {
  const auto data = [] { return counting({.told = 2, .per_pass = 2}); };
  EXPECT_THROW(model_.fit(data(), column({1}), options(1)), ValueError);
  FitOptions o = options(1);
  o.sample_weight = column({1});
  EXPECT_THROW(model_.fit(data(), o), ValueError);
  o = options(1);
  o.validation_split = 0.5;
  EXPECT_THROW(model_.fit(data(), o), ValueError);
  o = options(1);
  o.batch_size = 7;  // has no effect
  EXPECT_EQ(model_.fit(data(), o).epoch.size(), 1U);
}

TEST_F(DataHandling, AFailingSourceLeavesTheModelUsable) {
  EXPECT_THROW(model_.fit(counting({.told = 4, .per_pass = 4, .fails_at = 2}), options(1)),
               IOError);
  EXPECT_EQ(model_.optimizer().iterations().stored().item(), 2);
  EXPECT_EQ(model_.fit(counting({.told = 4, .per_pass = 4}), options(1)).epoch.size(), 1U);
}

TEST_F(DataHandling, ValidationBeginsAtTheStartEachTime) {
  FitOptions o = options(2);
  const auto data = counting({.told = 5, .per_pass = 5});
  o.validation_data = {data};
  o.validation_steps = 2;
  model_.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  model_.set_weights({column({0})});
  const History h = model_.fit(column({1}), column({1}), o);
  EXPECT_EQ(indices_->text, "0-0 ( 0-0 1-1 ) | 0-0 ( 0-0 1-1 ) ");
  // Batches 0 and 1: (0 + 1) / 2, both times.
  EXPECT_EQ(*h.history.find("val_loss"), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(data->resets, 2);
}

TEST_F(DataHandling, ValidationFollowsItsFrequency) {
  const auto epochs_with_validation = [&](const ValidationFrequency& frequency) {
    FitOptions o = options(5);
    o.validation_data = {column({1}), column({1})};
    o.validation_freq = frequency;
    return model_.fit(column({1}), column({1}), o).history.at("val_loss").size();
  };
  EXPECT_EQ(epochs_with_validation(2), 2U);
  EXPECT_EQ(epochs_with_validation({1, 2, 5, 9}), 3U);
  EXPECT_EQ(epochs_with_validation(1), 5U);
  FitOptions o = options(1);
  o.validation_freq = 0;
  EXPECT_THROW(model_.fit(column({1}), column({1}), o), ValueError);
}

TEST_F(DataHandling, StepsOfArraysSetTheBatchSize) {
  FitOptions o = options(1);
  o.steps_per_epoch = 3;
  model_.fit(column({1, 2, 3, 4, 5, 6, 7}), column({1, 2, 3, 4, 5, 6, 7}), o);
  EXPECT_EQ(indices_->text, "0-0 1-1 2-2 ");  // 3, 3 and 1 rows
  EXPECT_EQ(warnings_, "");
}

TEST_F(DataHandling, TruncatesEachExecutionToTheEpoch) {
  const auto cadence = [&](int64_t spe) {
    indices_->text.clear();
    model_.set_steps_per_execution(spe);
    model_.fit(counting({.told = 10, .per_pass = 10}), options(1));
    return indices_->text;
  };
  EXPECT_EQ(cadence(3), "0-2 3-5 6-8 9-9 ");
  EXPECT_EQ(cadence(4), "0-3 4-7 8-9 ");
  EXPECT_EQ(cadence(20), "0-9 ");
  EXPECT_EQ(model_.steps_per_execution(), 20);  // clamped for the epoch, not changed
  model_.set_steps_per_execution(-1);
  EXPECT_THROW(model_.fit(column({1}), column({1}), {.verbose = 0}), ValueError);
}

TEST_F(DataHandling, PredictAndEvaluateHonourSteps) {
  const Nest out =
      model_.predict(column({1, 2, 3, 4, 5}), {.batch_size = 2, .verbose = 0, .steps = 2});
  EXPECT_EQ(out.tensor().shape(), (Shape{4, 1}));
  model_.set_weights({column({0})});
  EXPECT_EQ(*model_
                 .evaluate(column({1, 2, 3, 4}), column({1, 2, 3, 4}),
                           {.batch_size = 1, .verbose = 0, .steps = 2})
                 .find("loss"),
            2.5);
  EXPECT_THROW(model_.predict(column({1}), {.verbose = 0, .steps = 0}), ValueError);
  EXPECT_EQ(
      model_.predict(counting({.told = kUnknown, .per_pass = 3}), {.verbose = 0}).tensor().shape(),
      (Shape{3, 1}));
  EXPECT_EQ(model_.predict_counter(), 3);
}

TEST_F(DataHandling, ShuffledBatchesKeepTheirRowsTogether) {
  /// The rows that a step got, in order.
  class Rows : public Model {
   public:
    Rows() : Model(LayerOptions{}) {}
    Tensor call(const Tensor& t, const CallOptions&) override { return t; }
    Logs train_step(const Batch& batch) override {
      return {{"low", ops::min(batch.x.tensor())}, {"high", ops::max(batch.x.tensor())}};
    }
  };
  Rows rows;
  rows.compile({});
  std::vector<double> lows;
  const callbacks::LambdaCallback note({.on_batch_end = [&](int64_t, const Logs& logs) {
    EXPECT_EQ(logs.at("high") - logs.at("low"), 3) << "rows of two chunks in one batch";
    lows.push_back(logs.at("low"));
  }});
  Tensor x = Tensor::empty(DType::float32, {400, 1});
  for (int i = 0; i < 400; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  set_random_seed(1);
  rows.fit(x, {.batch_size = 4, .verbose = 0, .callbacks = {note}, .shuffle = "batch"});
  EXPECT_FALSE(std::is_sorted(lows.begin(), lows.end()));
  std::sort(lows.begin(), lows.end());
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(lows[i], 4 * static_cast<double>(i));
  EXPECT_THROW(ShuffleSpec("rows"), ValueError);
}

/// As keras.config.set_max_epochs and set_max_steps_per_epoch cut.
TEST(Limits, CutEpochsAndSteps) {
  std::vector<std::string> warnings;
  logging::set_warning_sink([&](std::string_view text) { warnings.emplace_back(text); });
  config::set_max_epochs(2);
  config::set_max_steps_per_epoch(3);
  Sequential model = compiled_line(1);
  const Tensor x = column(std::vector<float>(8, 1));
  const History history = model.fit(x, x, {.batch_size = 1, .epochs = 5, .verbose = 0});
  EXPECT_EQ(history.epoch, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(model.optimizer().iterations().value().item(), 6);
  EXPECT_EQ(model.predict(x, {.batch_size = 2, .verbose = 0}).tensor().dim(0), 6);
  ASSERT_EQ(warnings.size(), 3U);
  EXPECT_EQ(warnings[0], "WARNING:antler:Limiting epochs to 2\n");
  EXPECT_EQ(warnings[1], "WARNING:antler:Limiting steps_per_epoch to 3\n");
  // Smaller numbers are unchanged.
  EXPECT_EQ(model.predict(x, {.batch_size = 4, .verbose = 0}).tensor().dim(0), 8);
  EXPECT_EQ(warnings.size(), 3U);
  config::set_max_epochs({});
  config::set_max_steps_per_epoch({});
  logging::set_warning_sink({});
  EXPECT_EQ(model.predict(x, {.batch_size = 2, .verbose = 0}).tensor().dim(0), 8);
  EXPECT_THROW(config::set_max_epochs(0), ValueError);
}

class LogsNothing : public Model {
 public:
  Tensor call(const Tensor& x) override { return dense_(x); }
  Logs train_step(const Batch&) override { return {{"loss", Tensor()}}; }

 private:
  Dense dense_ = track("dense", Dense(1));
};

TEST(Limits, LogsMustHaveValues) {
  LogsNothing model;
  model.compile("sgd", "mse");
  EXPECT_THROW(model.fit(ops::ones({4, 1}), ops::ones({4, 1}), {.verbose = 0}), ValueError);
}

}  // namespace
}  // namespace antler
