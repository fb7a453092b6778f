// First programs: classes of their own; see first_programs_test.cpp.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

using namespace std;     // NOLINT(google-build-using-namespace): that is the test
using namespace antler;  // NOLINT(google-build-using-namespace)

namespace {

class EpochCounter : public Callback {
 public:
  void on_epoch_end(int epoch, const Logs& logs) override {
    epochs.push_back(epoch);
    losses.push_back(logs.at("loss"));
  }
  void on_train_batch_end(int batch, const Logs&) override { last_batch = batch; }
  vector<int> epochs;
  vector<double> losses;
  int last_batch = -1;
};

TEST(FirstPrograms, HooksWithPlainNumbers) {
  Sequential model({Input({4}), Dense(1)});
  model.compile("sgd", "mse");
  const auto counter = make_shared<EpochCounter>();
  const Tensor x = ops::ones({6, 4});
  model.fit(x, ops::ones({6, 1}), kw::epochs = 2, kw::batch_size = 2, kw::verbose = 0,
            kw::callbacks = {counter, callbacks::LearningRateScheduler(
                                          [](int epoch) { return 0.1 / (epoch + 1); })});
  EXPECT_EQ(counter->epochs, (vector<int>{0, 1}));
  EXPECT_EQ(counter->last_batch, 2);
  EXPECT_EQ(counter->losses.size(), 2U);
}

class Penalty : public RegularizerImpl {
 public:
  Tensor call(const Tensor& x) const override { return 0.5 * ops::sum(ops::square(x)); }
};

class Halves : public InitializerImpl {
 public:
  Tensor call(const Shape& shape, DType dtype) const override {
    return ops::full(shape, 0.5, dtype);
  }
};

TEST(FirstPrograms, OwnRegularizersAndInitializers) {
  Dense dense(2, {.kernel_initializer = Halves(), .kernel_regularizer = Penalty()});
  dense(ops::ones({1, 4}));
  EXPECT_EQ(float(dense.losses().at(0)), 1.0F);
  EXPECT_EQ(Regularizer(Penalty()).impl().class_name(), "Penalty");
  EXPECT_THROW((void)dense.get_config(), NotImplementedError);

  Dense threes(2, {.kernel_initializer = [](const Shape& shape, DType dtype) {
                 return ops::full(shape, 3, dtype);
               }});
  threes(ops::ones({1, 4}));
  EXPECT_EQ(threes.get_weights()[0].to_doubles(), vector<double>(8, 3.0));
}

class Scale : public LayerBase<Scale> {
 public:
  void build(const Shape& input_shape) override {
    factor_ = add_weight(
        {.shape = {input_shape[-1]}, .initializer = "ones", .trainable = true, .name = "factor"});
    offset_ = add_weight({.shape = {input_shape[-1]}, .initializer = "zeros"});
  }
  Tensor call(const Tensor& x) override { return x * factor_ + offset_; }

 private:
  Variable factor_, offset_;
};

TEST(FirstPrograms, ObjectsOfOwnClassesAreCalled) {
  struct Halved : LossImpl {
    Halved() : LossImpl("halved") {}
    Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
      return ops::mean(ops::abs(y_true - y_pred), -1) / 2.0;
    }
  };
  struct Linear : LearningRateScheduleImpl {
    Tensor call(const Tensor& step) const override { return 0.5 * ops::cast(step, "float32"); }
  };
  const Tensor two = {{2.0}}, four = {{4.0}};
  EXPECT_EQ(float(Halved()(two, four)), 1);
  EXPECT_EQ(Loss(Halved()).name(), "halved");
  EXPECT_EQ(float(Linear()(3)), 1.5F);
  Sequential model({Input({1}), Dense(1)});
  model.compile("sgd", Halved());
  EXPECT_EQ(model.predict(two).shape(), Shape({1, 1}));
}

static_assert(!is_constructible_v<Callback, const callbacks::TerminateOnNaN&>);
static_assert(is_copy_constructible_v<callbacks::TerminateOnNaN>);

TEST(FirstPrograms, WeightsInTheOrderOfKeras) {
  Scale scale;
  scale(ops::ones({2, 3}));
  EXPECT_EQ(scale.weights()[0].name(), "factor");
  EXPECT_EQ(scale.weights()[1].name(), "variable");
}

class Regressor : public Model {
 public:
  Tensor call(const Tensor& x) override { return out_(hidden_(x)); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor loss = compute_loss(batch.x, batch.y, (*this)(batch.x, {.training = true}));
    optimizer().apply_gradients(tape.gradient(loss, trainable_variables()), trainable_variables());
    return {{"loss", loss}};
  }

 private:
  Dense hidden_{8, {.activation = "relu"}};
  Dense out_{1};
};

class LossHistory : public Callback {
 public:
  void on_train_batch_end(int, const Logs& logs) override { losses.push_back(logs.at("loss")); }
  std::vector<double> losses;
};

TEST(FirstPrograms, CallbacksInVariablesAreUsedThemselves) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const Tensor x = ops::ones({8, 2});
  const Tensor y = ops::zeros({8, 1});
  LossHistory history;
  callbacks::EarlyStopping stopping({.monitor = "loss"});
  model.fit(x, y, kw::batch_size = 2, kw::verbose = 0, kw::callbacks = {history, stopping});
  EXPECT_EQ(history.losses.size(), 4U);
  EXPECT_TRUE(stopping.best());
  // A constant is copied, a copy is another callback.
  const LossHistory constant = history;
  model.fit(x, y, kw::batch_size = 2, kw::verbose = 0, kw::callbacks = {constant});
  EXPECT_EQ(constant.losses.size(), 4U);
  EXPECT_EQ(history.losses.size(), 4U);
}

TEST(FirstPrograms, CallbacksThatAreGoneAreErrors) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  Callbacks list;
  {
    LossHistory history;
    list.push_back(history);
    list.push_back(std::move(history));
  }
  EXPECT_THROW(model.fit(ops::ones({8, 2}), ops::zeros({8, 1}), kw::callbacks = list),
               RuntimeError);
}

class BuiltLater : public LayerBase<BuiltLater> {
 public:
  void build(const Shape&) override {
    conv_ = track("conv", Conv2D(2, 3));
    head_ = track("head", Dense(1));
  }
  Tensor call(const Tensor& x) override { return head_(ops::mean(conv_(x), {1, 2})); }

 private:
  Conv2D conv_;
  Dense head_;
};

TEST(FirstPrograms, LayersAreDeclaredAndAssignedLater) {
  Sequential model({Input({5, 5, 1}), BuiltLater()});
  EXPECT_EQ(model.count_params(), 2 * 9 + 2 + 2 + 1);
  // It takes no name from the layers that come after it.
  clear_session();
  Dense dense;
  EXPECT_EQ(Dense(1).name(), "dense");
  EXPECT_THROW(dense(ops::ones({1, 2})), TypeError);
  EXPECT_THROW(Sequential({Input({2}), dense}), TypeError);
  dense = Dense(3);
  EXPECT_EQ(dense(ops::ones({1, 2})).shape(), Shape({1, 3}));
}

TEST(FirstPrograms, StepsOnBatchesTakeKeywords) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const Tensor x = ops::ones({4, 2});
  const Tensor y = ops::zeros({4, 1});
  const HostLogs logs = model.train_on_batch(x, y, kw::return_dict = true);
  const HostLogs weighted = model.test_on_batch(x, y, kw::sample_weight = ops::zeros({4}));
  EXPECT_GE(logs.at("loss"), 0);
  EXPECT_EQ(weighted.at("loss"), 0);
}

TEST(FirstPrograms, MembersOfAModelAreTrainedWithoutTrack) {
  set_random_seed(1);
  const Tensor x = random::normal({64, 4}, {.seed = 1});
  const Tensor y = ops::sum(x, 1, {.keepdims = true});
  Regressor model;
  model.compile({.optimizer = optimizers::SGD(0.1), .loss = "mse"});
  const History history = model.fit(x, y, {.epochs = 5, .verbose = 0});
  EXPECT_EQ(model.trainable_variables().size(), 4U);
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
  const string path = testing::TempDir() + "regressor.weights.h5";
  model.save_weights(path);
  Regressor again;
  again.predict(x, {.verbose = 0});
  again.load_weights(path);
  EXPECT_EQ(again.predict(x, {.verbose = 0}).tensor().to_doubles(),
            model.predict(x, {.verbose = 0}).tensor().to_doubles());
}

// A subclass is not cut down to its base: `Model copy = regressor` does not compile.
static_assert(!is_constructible_v<Model, const Regressor&>);
static_assert(is_copy_constructible_v<Model> && is_copy_constructible_v<Regressor>);

class Largest : public MetricBase<Largest> {
 public:
  explicit Largest(const string& name = "largest") : MetricBase(name) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred = {}, const Tensor& = {}) override {
    largest_.assign(ops::maximum(largest_, ops::max(ops::abs(y_true - y_pred))));
    count_.assign_add(1.0);
  }
  Nest result() const override { return largest_.value(); }
  float count() const { return float(count_); }

 private:
  Variable largest_ =
      add_variable({.shape = {}, .initializer = initializers::Constant(-1.0), .name = "largest"});
  Variable count_ = add_weight({.initializer = "zeros", .name = "count"});
};

TEST(FirstPrograms, VariablesOfAMetricByName) {
  Largest metric;
  metric.update_state(Tensor({1.0, 4.0}), Tensor({2.0, 1.0}));
  EXPECT_EQ(float(metric.result()), 3);
  EXPECT_EQ(metric.count(), 1);
  metric.reset_state();
  EXPECT_EQ(float(metric.result()), -1);
  EXPECT_EQ(metric.variables()[1].name(), "count");
}

class NoisySum : public LayerBase<NoisySum> {
 public:
  Tensor call(const Tensors& inputs, bool training) override {
    return training ? 0.0 * inputs[0] : inputs[0] + inputs[1];
  }
};

TEST(FirstPrograms, LayersOfSeveralInputsMayDependOnTraining) {
  const Tensor one = {{1.0}}, two = {{2.0}};
  EXPECT_EQ(float(NoisySum()({one, two})), 3);
  EXPECT_EQ(float(NoisySum()({one, two}, {.training = true})), 0);
  const Tensor a = Input({1}), b = Input({1});
  Model model({a, b}, NoisySum()({a, b}));
  EXPECT_EQ(float(model({one, two})), 3);
  EXPECT_EQ(float(model({one, two}, {.training = true})), 0);
}

TEST(FirstPrograms, ListsOfLayersAreFilledInALoop) {
  vector<LayerPtr> layers;
  for (const int64_t units : {4, 3}) {
    layers.push_back(Dense(units, {.activation = "relu"}));
    layers.push_back(Dropout(0.1));
  }
  Sequential model(layers, {.name = "ffn"});
  EXPECT_EQ(model(ops::ones({2, 5})).shape(), Shape({2, 3}));
  EXPECT_EQ(model.layers().size(), 4U);
  EXPECT_EQ(model.name(), "ffn");
}

}  // namespace
