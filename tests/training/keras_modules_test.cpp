#include "antler/training/keras_modules.h"

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

// Code that a Keras user might write without having read a header.
namespace antler {
namespace {

Tensor module_inputs() { return Tensor::of<float>({{1, 2}, {3, 4}, {5, 6}, {7, 8}}); }
Tensor module_targets() { return Tensor::of<float>({{1}, {2}, {3}, {4}}); }

Sequential line() {
  Sequential model({Input({2}), Dense(1, {.kernel_initializer = "zeros"})});
  model.compile({.optimizer = optimizers::SGD(0.01), .loss = "mse"});
  return model;
}

TEST(KerasModules, HoldTheNames) {
  static_assert(std::is_same_v<utils::PyDataset, data::Sequence>);
  static_assert(std::is_same_v<random::SeedGenerator, SeedGenerator>);
  static_assert(
      std::is_same_v<mixed_precision::LossScaleOptimizer, optimizers::LossScaleOptimizer>);
  EXPECT_EQ(ops::linalg::det(ops::numpy::eye(2)).item(), 1);
  EXPECT_EQ(ops::nn::relu(ops::convert_to_tensor(-1.0)).item(), 0);
  EXPECT_EQ(config::dtype_policy().text(), "float32");
  config::set_dtype_policy("mixed_bfloat16");
  EXPECT_EQ(Dense(1).compute_dtype(), DType::bfloat16);
  config::set_dtype_policy("float32");
}

/// Numbers that float32 cannot hold.
constexpr double kThird = 1.0 / 3;

TEST(Floatx, IsTheDTypeOfWhatHasNone) {
  clear_session();
  EXPECT_THROW(config::set_floatx("int32"), ValueError);
  EXPECT_THROW(config::set_floatx("float8"), ValueError);
  EXPECT_EQ(config::floatx(), "float32");
  config::set_floatx("float64");
  EXPECT_EQ(backend::floatx(), "float64");
  EXPECT_EQ(Dense(1).variable_dtype(), DType::float64);
  EXPECT_EQ(Input({2}).dtype(), DType::float64);
  EXPECT_EQ(metrics::Mean().dtype(), DType::float64);
  EXPECT_EQ(ops::zeros({2}).dtype(), DType::float64);
  EXPECT_EQ(random::normal({2}).dtype(), DType::float64);
  EXPECT_EQ(ops::convert_to_tensor({1, 0.5}).dtype(), DType::float64);
  EXPECT_EQ(ops::mean(ops::arange(3)).dtype(), DType::float64);
  EXPECT_EQ((ops::ones({1}, "int32") / 3).item(), kThird);
  EXPECT_EQ(Tensor(kThird).item(), kThird);
  // Values that have a dtype keep it.
  EXPECT_EQ((ops::ones({1}, "float32") * 0.5).dtype(), DType::float32);
  config::set_dtype_policy("mixed_bfloat16");
  EXPECT_EQ(Dense(1).compute_dtype(), DType::bfloat16);
  clear_session();
  EXPECT_EQ(Dense(1).compute_dtype(), DType::float64);
  config::set_floatx("float32");
  EXPECT_EQ(config::dtype_policy().text(), "float32");
}

TEST(Floatx, OfDoublesTrainsInDoubles) {
  clear_session();
  config::set_floatx("float64");
  Sequential model({Input({1}), Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})});
  model.compile(kw::optimizer = optimizers::SGD(0.1), kw::loss = "mse");
  // The gradient of (0 x - y)^2 is -2 x y.
  model.fit(std::vector<double>{1}, std::vector<double>{kThird}, kw::verbose = 0);
  const Tensor kernel = model.weights()[0].value();
  config::set_floatx("float32");
  EXPECT_EQ(kernel.dtype(), DType::float64);
  EXPECT_NEAR(kernel.item(), 0.2 * kThird, 1e-15);
}

TEST(Floatx, NarrowsDoubles) {
  clear_session();
  config::set_floatx("bfloat16");
  Sequential model({Input({2}), Dense(1, {.kernel_initializer = "ones"})});
  const Tensor p = model.predict(std::vector<std::vector<double>>{{1, 2}}, kw::verbose = 0);
  config::set_floatx("float32");
  EXPECT_EQ(p.dtype(), DType::bfloat16);
  EXPECT_EQ(p.item(), 3);
}

TEST(KerasModules, LayersToConfigurationsAndBack) {
  const Json config = layers::serialize(layers::Dense(3, {.activation = "relu", .name = "mine"}));
  EXPECT_EQ(config.at("class_name"), "Dense");
  const LayerPtr layer = layers::deserialize(config);
  EXPECT_EQ(layer->name(), "mine");
  EXPECT_EQ(layer->get_config().at("units"), 3);
}

class ReadsLogs : public Callback {
 public:
  void on_epoch_end(int, const Logs& logs) override { losses.push_back(logs["loss"]); }
  void on_train_batch_end(int, const Logs&) override { ++batches; }
  void on_train_end(const Logs&) override { ended = true; }
  std::vector<double> losses;
  int batches = 0;
  bool ended = false;
};

TEST(CallbackHooks, MayOnlyReadTheLogs) {
  const auto callback = std::make_shared<ReadsLogs>();
  Sequential model = line();
  model.fit(module_inputs(), module_targets(),
            {.batch_size = 2, .epochs = 3, .verbose = 0, .callbacks = {callback}});
  EXPECT_EQ(callback->losses.size(), 3U);
  EXPECT_EQ(callback->batches, 6);
  EXPECT_TRUE(callback->ended);
}

class ReadsOldBatchHooks : public Callback {
 public:
  void on_batch_end(int, const Logs&) override { ++batches; }
  int batches = 0;
};

TEST(CallbackHooks, OldNamesOfBatchHooksMayOnlyReadToo) {
  const auto callback = std::make_shared<ReadsOldBatchHooks>();
  line().fit(module_inputs(), module_targets(),
             {.batch_size = 2, .verbose = 0, .callbacks = {callback}});
  EXPECT_EQ(callback->batches, 2);
}

TEST(CallbackHooks, AreCalledWhereOverridden) {
  using internal::overridden_batch_hooks;
  constexpr internal::BatchHookFlags kTrainEnd = {false, true};
  static_assert(overridden_batch_hooks<Callback>() == internal::BatchHookFlags());
  static_assert(overridden_batch_hooks<ReadsLogs>() == kTrainEnd);
  static_assert(overridden_batch_hooks<ReadsOldBatchHooks>() == kTrainEnd);
}

TEST(CallbackHooks, WithOtherArgumentsDoNotCompile) {
  struct OtherIndex : Callback {
    void on_epoch_end(int64_t, const Logs&) {}
  };
  struct OtherLogs : Callback {
    void on_test_end(const HostLogs&) {}
  };
  struct Writes : Callback {
    void on_train_batch_end(int, Logs&) {}
  };
  struct Takes : Callback {
    void on_train_begin(Logs) {}
  };
  struct NoLogs : Callback {
    void on_batch_begin(int) {}
  };
  struct NoOutputs : Callback {
    void on_predict_batch_end(int, const Logs&) {}
  };
  struct Both : ReadsLogs {
    void on_epoch_end(int, const Logs&) noexcept override {}
    void on_epoch_end() {}
  };
  struct Inherits : ReadsLogs {
    void on_test_end(const Logs&) noexcept override {}
  };
  static_assert(!internal::HooksFit<OtherIndex>);
  static_assert(!internal::HooksFit<OtherLogs>);
  static_assert(!internal::HooksFit<Writes>);
  static_assert(!internal::HooksFit<Takes>);
  static_assert(!internal::HooksFit<NoLogs>);
  static_assert(!internal::HooksFit<NoOutputs>);
  static_assert(!internal::HooksFit<Both>);
  static_assert(internal::HooksFit<Inherits>);
}

TEST(HostLogsText, IsADictionary) {
  HostLogs logs;
  logs["loss"] = 0.25;
  logs["mae"] = 0.5;
  std::ostringstream text;
  text << logs << HostLogs() << Logs{{"a", Tensor(1)}};
  EXPECT_EQ(text.str(), "{'loss': 0.25, 'mae': 0.5}{}{'a': 1}");
}

TEST(ClassWeight, IsAnyMapOfNumbers) {
  const std::map<int, double> weights = {{0, 1.0}, {1, 3.0}};
  Sequential model({Input({2}), Dense(2, {.activation = "softmax"})});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const Tensor labels = Tensor::of({0, 1, 0, 1});
  EXPECT_NO_THROW(model.fit(module_inputs(), labels, {.verbose = 0, .class_weight = weights}));
  EXPECT_NO_THROW(
      model.fit(module_inputs(), labels, {.verbose = 0, .class_weight = {{0, 1}, {1, 2}}}));
}

class Pairs : public utils::PyDataset {
 public:
  int64_t size() const override { return 2; }
  Nest item(int64_t) override { return {module_inputs(), module_targets()}; }
};

TEST(Sequences, AreDataByValue) {
  Sequential model = line();
  const Pairs pairs;
  const History history = model.fit(pairs, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(history.history["loss"].size(), 2U);
}

class Held : public Model {
 public:
  Held(OptimizerPtr optimizer, std::vector<MetricPtr> metrics) {
    compile({.optimizer = std::move(optimizer), .loss = "mse", .metrics = metrics});
  }
  Tensor call(const Tensor& x) override { return dense_(x); }

 private:
  Dense dense_ = track("dense", Dense(1));
};

TEST(Pointers, AreMadeOfOptimizersAndMetricsByValue) {
  Held model(optimizers::SGD(0.1), {metrics::MeanAbsoluteError()});
  const HostLogs logs = model.evaluate(module_inputs(), module_targets(), {.verbose = 0});
  EXPECT_TRUE(logs.contains("mean_absolute_error"));
  EXPECT_NEAR(model.optimizer().learning_rate().item(), 0.1, 1e-7);
}

class ScaledInTraining : public Model {
 public:
  using Model::compute_loss;
  using Model::Model;
  Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred, const Nest& sample_weight,
                      bool training) override {
    return compute_loss(x, y, y_pred, sample_weight) * (training ? 2.0 : 1.0);
  }
};

TEST(OwnLoss, KnowsWhetherItTrains) {
  const Tensor in = Input({2});
  ScaledInTraining model(in, Dense(1, {.use_bias = false, .kernel_initializer = "ones"})(in));
  model.compile({.optimizer = optimizers::SGD(0.5), .loss = "mae"});
  model.fit(ops::ones({4, 2}), ops::zeros({4, 1}), {.batch_size = 4, .verbose = 0});
  // The gradient of the loss is 1, and it is doubled.
  EXPECT_EQ(model.get_weights()[0].to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(model.evaluate(ops::ones({4, 2}), ops::ones({4, 1}), {.verbose = 0}).at("loss"), 1);
}

class OwnMetrics : public Model {
 public:
  using Model::Model;
  std::vector<MetricPtr> metrics() const override { return {loss_}; }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const auto& [x, y, sample_weight] = batch;
    const Nest y_pred = (*this)(x, {.training = true});
    const Tensor loss = compute_loss(x, y, y_pred);
    const Variables variables = trainable_variables();
    optimizer().apply_gradients(tape.gradient(loss, variables), variables);
    loss_.update_state(loss);
    return {{"loss", loss_.result()}};
  }

 private:
  metrics::Mean loss_{"loss"};
};

TEST(OwnStep, HasMetricsOfItsOwn) {
  const Tensor in = Input({2});
  OwnMetrics model(in, Dense(1, {.kernel_initializer = "zeros"})(in));
  model.compile({.optimizer = optimizers::SGD(0.0), .loss = "mse"});
  const History history =
      model.fit(module_inputs(), module_targets(), {.batch_size = 2, .epochs = 2, .verbose = 0});
  // Reset between the epochs: both are the mean of the same two batches.
  EXPECT_EQ(history.history["loss"][0], history.history["loss"][1]);
  EXPECT_NEAR(history.history["loss"][0], 7.5, 1e-5);
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss"}));
}

class CountOfRows : public MetricBase<CountOfRows> {
 public:
  explicit CountOfRows(const std::string& name = "")
      : MetricBase(name), rows_(add_variable("rows", {})) {}
  void update_state(const Tensor& y_true, const Tensor&, const Tensor&) override {
    rows_.assign_add(static_cast<double>(y_true.dim(0)));
  }
  Nest result() const override { return rows_.value(); }

 private:
  Variable rows_;
};

TEST(OwnMetric, IsNamedAfterItsClass) {
  EXPECT_EQ(CountOfRows().name(), "count_of_rows");
  EXPECT_EQ(CountOfRows().class_name(), "CountOfRows");
  EXPECT_EQ(CountOfRows("rows").name(), "rows");
}

TEST(OwnMetric, NeedsFreshForSeveralOutputsOnly) {
  const Tensor x = Input({2});
  const Tensor one = Dense(1, {.name = "one"})(x);
  const Tensor two = Dense(1, {.name = "two"})(x);
  Model model(x, Nest{one, two});
  const Nest targets{module_targets(), module_targets()};
  const auto compile = [&](const MetricSpec& metrics) {
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = metrics});
  };
  compile({CountOfRows("rows")});
  EXPECT_THROW(model.evaluate(module_inputs(), targets, {.verbose = 0}), NotImplementedError);
  const CountOfRows rows("rows");
  compile({{"two", {rows}}});
  const HostLogs logs = model.evaluate(module_inputs(), targets, {.verbose = 0});
  EXPECT_EQ(logs.at("two_rows"), static_cast<double>(module_inputs().dim(0)));
  EXPECT_EQ(static_cast<double>(rows.result()), logs.at("two_rows"));
}

TEST(OptionalLists, StandInOnePairOfBraces) {
  StringLookup lookup({.vocabulary = {"a", "b"}});
  EXPECT_EQ(lookup(StringTensor({"b", "?", "a"})).to_doubles(), (std::vector<double>{2, 0, 1}));
  EXPECT_EQ(StringLookup({.vocabulary = {{"a", "b"}}}).get_vocabulary().size(), 3U);
  Discretization bins({.bin_boundaries = {0., 1., 2.}});
  EXPECT_EQ(bins(Tensor::of<float>({-1.5, 1.0, 3.4, .5})).to_doubles(),
            (std::vector<double>{0, 2, 3, 1}));
  Hashing one({.num_bins = 64, .salt = 133});
  Hashing two({.num_bins = 64, .salt = {133, 133}});
  const StringTensor words = {"x", "y", "z"};
  EXPECT_EQ(one(words).to_doubles(), two(words).to_doubles());
  EXPECT_EQ(PReLU({.shared_axes = {1}}).get_config().at("shared_axes"), Json({1}));
}

TEST(OptionalShapes, StandInOnePairOfBraces) {
  const Lambda lambda([](const Tensor& x) { return x; }, {.output_shape = {2, 3}});
  EXPECT_EQ(lambda.get_config().at("output_shape"), Json({2, 3}));
  const random::DropoutOptions options = {.noise_shape = {2, 1}};
  EXPECT_EQ(*options.noise_shape, (Shape{2, 1}));
}

TEST(Random, TakesItsNumbersByPosition) {
  const Tensor a = random::normal({3}, 5.0, 0.0);
  EXPECT_EQ(a.to_doubles(), (std::vector<double>{5, 5, 5}));
  EXPECT_EQ(random::uniform({4}, 2, 3, {.seed = 1}).to_doubles(),
            random::uniform({4}, {.minval = 2, .maxval = 3, .seed = 1}).to_doubles());
  EXPECT_THROW(random::normal({3}, 5.0, 1.0, {.mean = 2}), TypeError);
}

TEST(LayerHandles, AreCalled) {
  const std::vector<LayerHandle> stack = {Rescaling(2.0), Rescaling(3.0)};
  Tensor x = ops::ones({1, 1});
  for (const LayerHandle& layer : stack) x = layer(x);
  EXPECT_EQ(x.item(), 6);
}

TEST(Datasets, FindTheirNumberOfThreads) {
  const auto doubled = data::Dataset::range(3)
                           .map([](const Nest& x) { return Nest(x.tensor() * 2); },
                                {.num_parallel_calls = data::AUTOTUNE})
                           .prefetch(data::AUTOTUNE);
  std::vector<double> seen;
  for (const Nest& x : doubled) seen.push_back(x.tensor().item());
  EXPECT_EQ(seen, (std::vector<double>{0, 2, 4}));
}

}  // namespace
}  // namespace antler
