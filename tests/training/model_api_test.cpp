// Features of a model other than training itself: the forms of its arguments, building, mixed
// precision, what a subclass may override.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/nn/dtype_policy.h"
#include "training/columns.h"

namespace antler {
namespace {

using test::column;

TEST(Arguments, OptionsInBracesFollowOneSourceOfData) {
  const Tensor x = column({1, 2, 3, 4});
  const auto pairs = data::Dataset::from_tensor_slices(Nest{x, x}).batch(2);
  Sequential model({Input({1}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.fit(pairs, {.verbose = 0}).epoch.size(), 1U);
  EXPECT_EQ(model.fit(pairs, {.epochs = 2, .verbose = 0, .callbacks = {}}).epoch.size(), 2U);
  const History h = model.fit(pairs, {.verbose = 0, .validation_data = {x, x}});
  EXPECT_TRUE(h.history.contains("val_loss"));
  EXPECT_THROW(model.fit(pairs, {.verbose = 0, .sample_weight = x}), ValueError);
  EXPECT_EQ(model.evaluate(pairs, {.verbose = 0, .callbacks = {}}).size(), 1U);
  EXPECT_EQ(model.fit(x, {x}, {.verbose = 0}).epoch.size(), 1U);  // a list of one target
}

class TwoInputs : public Model {
 public:
  Nest call(const Nest& inputs, const CallOptions& options) override {
    const Nest& a = inputs.is_dict() ? inputs.at("a") : inputs[0];
    const Nest& b = inputs.is_dict() ? inputs.at("b") : inputs[1];
    return a_(a.tensor(), options) + b_(b.tensor(), options);
  }

 private:
  Dense a_ = track("a", Dense(3));
  Dense b_ = track("b", Dense(3));
};

class OneInput : public Model {
 public:
  Tensor call(const Tensor& x, const CallOptions& options) override { return dense_(x, options); }

 private:
  Dense dense_ = track("dense", Dense(2));
};

class OfIndices : public Model {
 public:
  Tensor call(const Tensor& x, const CallOptions&) override {
    if (is_floating(x.dtype())) throw TypeError("indices must be integers");
    return table_(x);
  }

 private:
  Embedding table_ = track("table", Embedding(4, 2));
};

TEST(Build, FromAShapeAListOrADictionary) {
  OneInput one;
  EXPECT_FALSE(one.built());
  one.build({-1, 5});
  EXPECT_TRUE(one.built());
  EXPECT_EQ(one.count_params(), 5 * 2 + 2);
  TwoInputs list;
  list.build(std::vector<Shape>{{-1, 2}, {-1, 4}});
  EXPECT_EQ(list.count_params(), (2 + 1) * 3 + (4 + 1) * 3);
  TwoInputs dict;
  dict.build(InputShapes::dict({{"a", {-1, 2}}, {"b", {-1, 4}}}));
  EXPECT_EQ(dict.count_params(), (2 + 1) * 3 + (4 + 1) * 3);
  one.build({-1, 7});  // it is built: nothing changes
  EXPECT_EQ(one.count_params(), 5 * 2 + 2);
}

TEST(Build, WhatCannotBeBuiltFromShapesIsToldSo) {
  OneInput none;
  EXPECT_THROW(none.count_params(), ValueError);
  EXPECT_THROW(none.build(std::vector<Shape>{}), ValueError);
  EXPECT_THROW(none.build(Shape{}), ValueError);
  none.build({-1, 5});
  OfIndices indices;
  try {
    indices.build({-1, 3});
    ADD_FAILURE() << "floating-point indices were accepted";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("Call the model on a batch of data"), std::string::npos) << text;
    EXPECT_NE(text.find("indices must be integers"), std::string::npos) << text;
  }
  EXPECT_EQ(indices(Tensor::of<int32_t>({1, 2})).shape(), (Shape{2, 2}));  // usable
}

TEST(MixedFloat16, ScalesTheLossUnlessToldNot) {
  const Tensor x = column({1, 2});
  const auto make = [] {
    return Sequential({Input({1}), Dense(1, {.kernel_initializer = "ones", .dtype = "float32"})});
  };
  const DTypePolicy before = mixed_precision::global_policy();
  mixed_precision::set_global_policy("mixed_float16");
  Sequential model = make();
  mixed_precision::set_global_policy(before.name);
  using optimizers::LossScaleOptimizer;
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.125}), .loss = "mse"});
  const auto* scaling = dynamic_cast<const LossScaleOptimizer*>(&model.optimizer());
  ASSERT_NE(scaling, nullptr);
  EXPECT_EQ(scaling->inner_optimizer()->class_name(), "SGD");
  // What is saved is the optimizer that was given.
  EXPECT_EQ(model.get_compile_config()["optimizer"]["class_name"], "SGD");
  model.fit(x, column({0, 0}), {.verbose = 0});
  // d/dw mean((wx)^2) = 5 w: the scale has no effect on the step.
  EXPECT_NEAR(model.get_weights()[0].item(), 1 - 0.125 * 5, 1e-5);
  EXPECT_EQ(model.optimizer().iterations().stored().item(), 1);
  // An update that is not finite is left out.
  model.fit(column({INFINITY, 1}), column({0, 0}), {.verbose = 0});
  EXPECT_NEAR(model.get_weights()[0].item(), 1 - 0.125 * 5, 1e-5);
  EXPECT_EQ(model.optimizer().iterations().stored().item(), 1);

  model.compile({.optimizer = LossScaleOptimizer(optimizers::SGD()), .loss = "mse"});
  scaling = dynamic_cast<const LossScaleOptimizer*>(&model.optimizer());
  ASSERT_NE(scaling, nullptr);
  EXPECT_EQ(scaling->inner_optimizer()->class_name(), "SGD");  // not wrapped twice
  model.compile({.optimizer = "sgd", .loss = "mse", .auto_scale_loss = false});
  EXPECT_EQ(model.optimizer().class_name(), "SGD");
  Sequential plain = make();
  plain.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(plain.optimizer().class_name(), "SGD");
}

/// Reports the second replica's result.
class OfTheSecondReplica : public OneInput {
 public:
  Logs train_step(const Batch& batch) override {
    return {{"rows", ops::sum(ops::ones_like(batch.x.tensor()))}};
  }
  Nest reduce_per_replica(const std::vector<Nest>& values, const distribute::Strategy& strategy,
                          const std::string& reduction) override {
    if (reduction == "concat") return Model::reduce_per_replica(values, strategy, reduction);
    return values.at(1);
  }
};

TEST(ReducePerReplica, MayBeOverridden) {
  const distribute::MirroredStrategy strategy(2);
  const auto scope = strategy.scope();
  OfTheSecondReplica model;
  model.compile({.optimizer = "sgd"});
  const Tensor x = column({1, 2, 3, 4, 5});
  const History h = model.fit(x, {.batch_size = 5, .verbose = 0});
  EXPECT_EQ(h.history.at("rows").at(0), 2);  // of 3 and 2
  EXPECT_EQ(model.predict(x, {.verbose = 0}).tensor().shape(), (Shape{5, 2}));
}

TEST(TrainableSnapshot, WhatWasTrainableAtCompileIsTrained) {
  const Tensor x = column({1, 2});
  const Tensor y = column({5, 7});
  Sequential model({Input({1}), Dense(1, {.kernel_initializer = "ones", .name = "a"}),
                    Dense(1, {.kernel_initializer = "ones", .name = "b"})});
  const CompileArguments arguments = {.optimizer = "sgd", .loss = "mse"};
  model.compile(arguments);
  model.get_layer("a")->set_trainable(false);
  model.fit(x, y, {.verbose = 0});
  const double trained = model.get_weights()[0].item();
  EXPECT_NE(trained, 1);                            // frozen too late
  EXPECT_FALSE(model.get_layer("a")->trainable());  // but the flag is what was set
  model.train_on_batch(x, y);
  const double further = model.get_weights()[0].item();
  EXPECT_NE(further, trained);
  model.compile(arguments);
  const double b = model.get_weights()[2].item();
  model.fit(x, y, {.verbose = 0});
  EXPECT_EQ(model.get_weights()[0].item(), further);
  EXPECT_NE(model.get_weights()[2].item(), b);
}

TEST(CompileConfig, RoundTripOfTheEightArguments) {
  Sequential model({Input({1}), Dense(1)});
  EXPECT_TRUE(model.get_compile_config().is_null());
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.25}),
                 .loss = losses::Huber({.delta = 2.0}),
                 .loss_weights = 0.5,
                 .metrics = {"mae", metrics::MeanSquaredError({.name = "square"})},
                 .weighted_metrics = {"mse"},
                 .run_eagerly = true,
                 .steps_per_execution = 7});
  const Json config = model.get_compile_config();
  Sequential other({Input({1}), Dense(1)});
  other.compile_from_config(config);
  EXPECT_EQ(other.get_compile_config().dump(), config.dump());
  EXPECT_EQ(other.optimizer().class_name(), "Adam");
  EXPECT_NEAR(other.optimizer().learning_rate().item(), 0.25, 1e-7);
  EXPECT_TRUE(other.optimizer().built());
  EXPECT_TRUE(other.run_eagerly());
  EXPECT_EQ(other.steps_per_execution(), 7);
  other.set_weights(model.get_weights());
  const Tensor x = column({1, 2, 3});
  EXPECT_EQ(model.evaluate(x, x, {.verbose = 0}).begin()->second,
            other.evaluate(x, x, {.verbose = 0}).begin()->second);
  EXPECT_EQ(other.metrics_names(), (std::vector<std::string>{"loss", "mae", "square", "mse"}));
}

class CountEpochs : public Callback {
 public:
  void on_epoch_end(int, const Logs&) override { ++epochs; }
  int64_t epochs = 0;
};

TEST(CallbackListAsCallbacks, IsUsedAsItIs) {
  const auto counter = std::make_shared<CountEpochs>();
  const auto list = std::make_shared<CallbackList>(Callbacks{counter});
  Sequential model({Input({1}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = column({1, 2});
  std::string printed;
  logging::set_sink([&](std::string_view text) { printed += text; });
  const History h = model.fit(x, x, {.epochs = 2, .verbose = 1, .callbacks = list});
  logging::set_sink({});
  EXPECT_EQ(counter->epochs, 2);
  EXPECT_TRUE(h.epoch.empty());  // no History was added, and no bar
  EXPECT_EQ(printed, "");
  const auto with_history = std::make_shared<CallbackList>(Callbacks{counter}, true);
  EXPECT_EQ(model.fit(x, x, {.epochs = 3, .verbose = 0, .callbacks = with_history}).epoch.size(),
            3U);
}

TEST(ClassWeight, OnADataSetAndAGeneratorAsOnArrays) {
  const Tensor x = column({1, 2, 3, 4});
  const Tensor y = Tensor::of<int32_t>({0, 1, 1, 0});
  const auto loss_of = [&](const FitData& data, const Arrays& targets) {
    Sequential model({Input({1}), Dense(1, {.kernel_initializer = "ones"})});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    const History h = model.fit(
        data, targets,
        {.batch_size = 2, .verbose = 0, .shuffle = false, .class_weight = {{0, 1.0}, {1, 3.0}}});
    return h.history.at("loss").at(0);
  };
  const double expected = loss_of(x, y);
  const auto pairs = data::Dataset::from_tensor_slices(Nest{x, y}).batch(2);
  EXPECT_EQ(loss_of(pairs, {}), expected);
  std::vector<Nest> batches = {{ops::slice_axis(x, 0, 0, 2), ops::slice_axis(y, 0, 0, 2)},
                               {ops::slice_axis(x, 0, 2, 4), ops::slice_axis(y, 0, 2, 4)}};
  EXPECT_EQ(loss_of(data::Generator(batches), {}), expected);
}

/// A hundred batches, prepared by workers.
class ManyBatches : public data::Sequence {
 public:
  int64_t size() const override { return 100; }
  Nest item(int64_t index) override {
    const Tensor x = Tensor::full(DType::float32, {2, 1}, static_cast<double>(index) / 100);
    return Nest{x, x};
  }
};

volatile std::sig_atomic_t g_interrupted = 0;

/// How a program handles Ctrl-C: the handler sets a flag, and a callback ends the training.
class EndWhenInterrupted : public Callback {
 public:
  explicit EndWhenInterrupted(bool by_an_error) : by_an_error_(by_an_error) {}
  void on_train_batch_begin(int batch, const Logs&) override {
    if (batch >= 40) std::raise(SIGINT);
  }
  void on_train_batch_end(int batch, const Logs&) override {
    last = batch;
    if (g_interrupted == 0) return;
    if (by_an_error_) throw RuntimeError("interrupted");
    model->set_stop_training(true);
  }
  int64_t last = -1;

 private:
  bool by_an_error_;
};

int64_t threads_of_this_process() {
  using Entries = std::filesystem::directory_iterator;
  return std::distance(Entries("/proc/self/task"), Entries());
}

/// The number of threads of this process. Waits up to 10 seconds for it to fall to `expected`,
/// because the kernel may list a joined thread for a moment longer.
int64_t threads_once_at_most(int64_t expected) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (threads_of_this_process() > expected && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return threads_of_this_process();
}

TEST(CtrlC, InTheMiddleOfAnEpochLeavesAUsableModelAndNoThread) {
  const auto before = std::signal(SIGINT, [](int) { g_interrupted = 1; });
  Sequential model({Input({1}), Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse", .steps_per_execution = "auto"});
  const auto data = std::make_shared<ManyBatches>();
  model.fit(data, {.verbose = 0, .workers = 2});  // threads that stay are there now
  const int64_t threads = threads_of_this_process();
  for (const bool by_an_error : {true, false}) {
    g_interrupted = 0;
    const auto callback = std::make_shared<EndWhenInterrupted>(by_an_error);
    const FitOptions options = {.epochs = 5, .verbose = 0, .callbacks = {callback}, .workers = 2};
    if (by_an_error) {
      EXPECT_THROW(model.fit(data, options), RuntimeError);
    } else {
      EXPECT_EQ(model.fit(data, options).epoch.size(), 1U);  // what was done is reported
    }
    EXPECT_GE(callback->last, 40);
    EXPECT_LT(callback->last, 99);
    EXPECT_LE(threads_once_at_most(threads), threads);
    for (const Tensor& weight : model.get_weights())
      EXPECT_TRUE(std::isfinite(weight.to_doubles()[0]));
    EXPECT_EQ(model.fit(data, {.verbose = 0}).epoch.size(), 1U);
  }
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace antler
