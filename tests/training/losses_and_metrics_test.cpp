#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "antler/antler.h"
#include "training/columns.h"

// Figures of this file: tf_keras 2.21 on the same models and arrays, or by hand where it says so.

namespace antler {
namespace {

using test::column;
using test::line;

using Entries = std::vector<std::pair<std::string, double>>;

const Tensor& column_x() {
  static const Tensor value = column({1, 2, 3});
  return value;
}
const Tensor& ya() {
  static const Tensor value = column({0, 1, 2});
  return value;
}
const Tensor& yb() {
  static const Tensor value = column({2, 0, 1});
  return value;
}

/// Outputs "a" = x and "b" = 2x.
Model two_outputs() {
  const Tensor in = Input({1});
  Model model(in, Nest{Dense(1, {.use_bias = false, .name = "a"})(in),
                       Dense(1, {.use_bias = false, .name = "b"})(in)});
  model.set_weights({column({1}), column({2})});
  return model;
}

/// Names in order and values.
void expect_logs(const HostLogs& logs, const Entries& expected) {
  Entries got(logs.begin(), logs.end());
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, expected[i].first);
    EXPECT_NEAR(got[i].second, expected[i].second, 1e-5) << got[i].first;
  }
}

TEST(SeveralOutputs, NamesOrderAndWeights) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd",
                 .loss = {"mse", "mae"},
                 .loss_weights = {0.5, 2.0},
                 .metrics = {"mae"},
                 .weighted_metrics = MetricSpec::dict({{"b", {"mae", "mse"}}})});
  const Entries expected = {{"loss", 6.5}, {"a_loss", 1},         {"b_loss", 3},     {"a_mae", 1},
                            {"b_mae", 3},  {"b_weighted_mae", 3}, {"b_mse", 41. / 3}};
  const Tensor w = Tensor::of<float>({1, 0, 2});
  expect_logs(model.evaluate(column_x(), {ya(), yb()},
                             {.batch_size = 2, .verbose = 0, .sample_weight = {w, Tensor()}}),
              expected);
  expect_logs(model.evaluate(column_x(), {ya(), yb()}, {.batch_size = 2, .verbose = 0}), expected);
  std::vector<std::string> names;
  for (const auto& [name, value] : expected) names.push_back(name);
  EXPECT_EQ(model.metrics_names(), names);
}

TEST(SeveralOutputs, DictionariesGoByName) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd",
                 .loss = LossSpec::dict({{"b", "mse"}}),
                 .loss_weights = LossWeights::dict({{"b", 3.0}}),
                 .metrics = MetricSpec::dict({{"a", "mse"}})});
  const Nest y = Nest::dict({{"b", yb()}, {"a", ya()}});
  // As in Keras 3, a single loss has no tracker besides `loss`.
  const Entries expected = {{"loss", 41}, {"a_mse", 1}};
  expect_logs(model.evaluate(column_x(), y, {.batch_size = 2, .verbose = 0}), expected);
  // A list of targets for losses by name, and the reverse.
  expect_logs(model.evaluate(column_x(), {ya(), yb()}, {.batch_size = 2, .verbose = 0}), expected);
  model.compile({.optimizer = "sgd", .loss = {LossSpec(), "mse"}, .loss_weights = 3.0});
  expect_logs(model.evaluate(column_x(), y, {.batch_size = 2, .verbose = 0}), {{"loss", 41}});
}

// As in Keras 3.15.
TEST(OneOutput, ItsMetricsMayHaveAnyName) {
  Sequential model({Input({1}), Dense(1, {.kernel_initializer = "ones", .name = "out"})});
  model.compile({.optimizer = "sgd",
                 .loss = "mse",
                 .metrics = MetricSpec::dict({{"zz", {"mae"}}, {"out", "mse"}})});
  expect_logs(model.evaluate(column_x(), column_x() + 2.0, {.verbose = 0}),
              {{"loss", 4}, {"mae", 2}, {"mse", 4}});
}

// As in Keras's example of a small GPT, whose second output has no loss.
TEST(SeveralOutputs, AnArrayIsTheTargetOfTheOnlyLoss) {
  const Tensor in = Input({2});
  const Tensor hidden = Dense(3, {.name = "hidden"})(in);
  Model model(in,
              Nest{Dense(1, {.use_bias = false, .kernel_initializer = "zeros"})(hidden), hidden});
  model.compile(kw::optimizer = "sgd", kw::loss = {"mse", None}, kw::metrics = {{"mae"}, {}});
  const HostLogs logs = model.evaluate(ops::ones({4, 2}), ops::full({4, 1}, 2.0), kw::verbose = 0);
  EXPECT_EQ(logs.at("loss"), 4);
  EXPECT_EQ(logs.size(), 2);
  EXPECT_EQ(std::prev(logs.end())->second, 2);
  model.fit(ops::ones({4, 2}), ops::full({4, 1}, 2.0), kw::verbose = 0);
  model.compile(kw::optimizer = "sgd", kw::loss = {None, "mse"});
  EXPECT_THROW(model.fit(ops::ones({4, 2}), ops::ones({4, 1, 7}), kw::verbose = 0), ValueError);
  model.fit(ops::ones({4, 2}), ops::ones({4, 3}), kw::verbose = 0);
}

TEST(SeveralOutputs, SumsAreNotAveraged) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd", .loss = losses::MeanSquaredError({.reduction = "sum"})});
  expect_logs(model.evaluate(column_x(), {ya(), yb()}, {.batch_size = 2, .verbose = 0}),
              {{"loss", 62. / 3}, {"a_loss", 5. / 3}, {"b_loss", 19}});
}

TEST(SeveralOutputs, OneArrayOfWeightsGoesToAllAndADictionaryByName) {
  Model model = two_outputs();
  model.compile({.optimizer = "sgd", .loss = "mse", .weighted_metrics = {"mae"}});
  const Tensor w = Tensor::of<float>({1, 0, 2});
  const Entries expected = {
      {"loss", 53. / 3}, {"a_loss", 1}, {"b_loss", 50. / 3}, {"a_mae", 1}, {"b_mae", 10. / 3}};
  expect_logs(
      model.evaluate(column_x(), {ya(), yb()}, {.batch_size = 2, .verbose = 0, .sample_weight = w}),
      expected);
  expect_logs(model.evaluate(column_x(), {ya(), yb()},
                             {.batch_size = 2,
                              .verbose = 0,
                              .sample_weight = Nest::dict({{"b", w}, {"a", Tensor()}})}),
              expected);
}

TEST(SeveralOutputs, WhatDoesNotFitIsRefusedAndTheModelStaysUsable) {
  Model model = two_outputs();
  const Nest y = {ya(), yb()};
  const auto fit = [&](const CompileArguments& arguments, const Nest& targets) {
    model.compile(arguments);
    model.fit(column_x(), targets, {.verbose = 0});
  };
  EXPECT_THROW(fit({.loss = {"mse", "mse", "mse"}}, y), KeyError);
  EXPECT_THROW(fit({.loss = LossSpec::dict({{"zz", "mse"}})}, y), ValueError);
  EXPECT_THROW(fit({.loss = "mse", .metrics = MetricSpec::dict({{"zz", "mae"}})}, y), ValueError);
  EXPECT_THROW(fit({.loss = "mse", .loss_weights = {1, 2, 3}}, y), ValueError);
  EXPECT_THROW(fit({.loss = "mse", .loss_weights = LossWeights::dict({{"zz", 1}})}, y), ValueError);
  EXPECT_THROW(fit({.loss = "mse"}, ya()), ValueError);
  EXPECT_THROW(fit({.loss = "mse"}, Nest::dict({{"a", ya()}, {"zz", yb()}})), ValueError);
  EXPECT_THROW(fit({.loss = "mse", .metrics = {"mae", "mae"}}, y), ValueError);  // same name
  EXPECT_THROW(fit({.loss = "mse", .metrics = {"mae", "no_such"}}, y), ValueError);
  const metrics::MeanAbsoluteError object;
  EXPECT_THROW(model.compile({.loss = "mse", .metrics = {object}, .weighted_metrics = {object}}),
               ValueError);
  EXPECT_NO_THROW(fit({.loss = "mse", .metrics = {object}}, y));
  EXPECT_EQ(model.metrics_names(),
            (std::vector<std::string>{"loss", "a_loss", "b_loss", "a_mean_absolute_error",
                                      "b_mean_absolute_error"}));
}

TEST(OneOutput, WeightsPerStepAndPerSample) {
  Sequential model({Input({2, 1}), Dense(1, {.use_bias = false})});
  model.set_weights({column({1})});
  model.compile(
      {.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}, .weighted_metrics = {"mae"}});
  const Tensor steps = Tensor::of<float>({1, 2, 3, 4}, {2, 2, 1});
  const Tensor zeros = Tensor::zeros(DType::float32, {2, 2, 1});
  expect_logs(
      model.evaluate(steps, zeros,
                     {.verbose = 0, .sample_weight = Tensor::of<float>({1, 0, 2, 1}, {2, 2})}),
      {{"loss", 8.75}, {"mae", 2.5}, {"weighted_mae", 2.75}});
  expect_logs(
      model.evaluate(steps, zeros, {.verbose = 0, .sample_weight = Tensor::of<float>({1, 3})}),
      {{"loss", 20}, {"mae", 2.5}, {"weighted_mae", 3}});
}

// By hand: factors 1, 3, 3 times 2, 1, 0.5 are 2, 3, 1.5; errors 1, 1, 2.
TEST(OneOutput, ClassWeightsMultiplyIntoSampleWeightsWhileTraining) {
  Sequential model = line(1);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}),
                 .loss = "mse",
                 .weighted_metrics = {"mae"}});
  const Tensor y = column({0, 1, 1});
  const Tensor w = Tensor::of<float>({2, 1, 0.5});
  const History h = model.fit(column_x(), y,
                              {.batch_size = 2,
                               .verbose = 0,
                               .validation_data = {column_x(), y},
                               .shuffle = false,
                               .class_weight = {{0, 1.0}, {1, 3.0}},
                               .sample_weight = w});
  EXPECT_NEAR(h.history.at("loss").at(0), (2.5 * 2 + 6) / 3, 1e-6);
  EXPECT_NEAR(h.history.at("mae").at(0), 8 / 6.5, 1e-6);
  EXPECT_NEAR(h.history.at("val_loss").at(0), (1 + 1 + 4) / 3., 1e-6);
  const HostLogs one = model.train_on_batch(
      column_x(), y, {.sample_weight = w, .class_weight = {{0, 1.0}, {1, 3.0}}});
  EXPECT_NEAR(*one.find("loss"), 11. / 3, 1e-6);
  EXPECT_THROW(model.fit(column_x(), y, {.verbose = 0, .class_weight = {{0, 1.0}, {2, 1.0}}}),
               ValueError);
}

// The gradient is that of the sum, the log a mean: 1 - 0.01 * 2 * (1 + 4 + 9).
TEST(OneOutput, WithoutReductionValuesAreSummedForTheGradient) {
  Sequential model = line(1);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                 .loss = losses::MeanSquaredError({.reduction = "none"})});
  const History h = model.fit(column_x(), column({0, 0, 0}), {.batch_size = 3, .verbose = 0});
  EXPECT_NEAR(h.history.at("loss").at(0), 14. / 3, 1e-5);
  EXPECT_NEAR(model.get_weights()[0].item(), 0.72, 1e-6);
}

TEST(OneOutput, TheFlavourOfAccuracyFollowsTheShapes) {
  struct Case {
    int64_t units;
    Tensor y;
    double expected;
  };
  const Case cases[] = {
      {1, Tensor::of<float>({1, 1, 0}), 2. / 3},                   // binary, targets of rank 1
      {2, Tensor::of<int32_t>({0, 0, 1}), 2. / 3},                 // sparse
      {2, Tensor::of<int32_t>({0, 1, 1}, {3, 1}), 1. / 3},         // sparse, rank 2
      {2, Tensor::of<float>({1, 0, 1, 0, 0, 1}, {3, 2}), 2. / 3},  // categorical
  };
  for (const Case& c : cases) {
    Sequential model({Input({1}), Dense(c.units, {.kernel_initializer = "ones"})});
    model.compile(
        {.loss = c.units == 1 ? "mse" : "sparse_categorical_crossentropy", .metrics = {"acc"}});
    if (c.y.shape().rank() == 2 && c.y.dim(1) == 2)
      model.compile({.loss = "mse", .metrics = {"acc"}});
    EXPECT_NEAR(*model.evaluate(column_x(), c.y, {.verbose = 0}).find("acc"), c.expected, 1e-6)
        << c.units << " " << c.y.str();
  }
}

/// Doubles its input and adds the mean of the result to the losses.
class AddsLoss : public Model {
 public:
  AddsLoss() : Model(LayerOptions{}) {}
  Tensor call(const Tensor& in, const CallOptions& options) override {
    Tensor out = dense_(in, options);
    add_loss(ops::sum(out));
    return out;
  }

 private:
  Dense dense_ = track("dense", Dense(1, {.use_bias = false, .kernel_initializer = "ones"}));
};

// By hand: batches [1, 2] and [3] give 3 and 3, weighted by 2 and 1 rows.
TEST(AddLoss, IsALossByItself) {
  AddsLoss model;
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1})});
  expect_logs(model.evaluate(column_x(), {.batch_size = 2, .verbose = 0}), {{"loss", 3}});
  model.fit(column_x(), {.batch_size = 3, .verbose = 0});
  EXPECT_NEAR(model.get_weights()[0].item(), 1 - 0.1 * 6, 1e-6);
  EXPECT_THROW(
      {
        Sequential none = line(1);
        none.compile({.optimizer = "sgd"});
        none.fit(column_x(), {.verbose = 0});
      },
      ValueError);
}

/// A dictionary of two, one of them a list.
class Nested : public Model {
 public:
  Nested() : Model(LayerOptions{}) {}
  Nest call(const Nest& in, const CallOptions&) override {
    const Tensor& t = in.tensor();
    return Nest::dict({{"z", t * 2.0}, {"k", Nest{t, t + 1.0}}});
  }
};

TEST(SubclassOutputs, AreNamedByTheirPaths) {
  Nested model;
  model.compile({.loss = LossSpec::dict({{"k_2", "mse"}, {"z", "mae"}})});
  const Nest y = Nest::dict({{"k", Nest{ya(), ya()}}, {"z", ya()}});
  // By hand: k_2 = x + 1 - y = 2; z = 2x - y = 2, 3, 4.
  expect_logs(model.evaluate(column_x(), y, {.verbose = 0}),
              {{"loss", 7}, {"k_2_loss", 4}, {"z_loss", 3}});
  const Nest out = model.predict(column_x(), {.batch_size = 2, .verbose = 0});
  EXPECT_EQ(out.structure(), y.structure());
  EXPECT_EQ(out.at("k")[1].tensor().to_doubles(), (std::vector<double>{2, 3, 4}));
}

TEST(MetricsNames, AreEmptyBeforeTheFirstStep) {
  Sequential model = line(1);
  model.compile({.loss = "mse", .metrics = {"mae"}});
  EXPECT_TRUE(model.metrics_names().empty());
  model.evaluate(column_x(), ya(), {.verbose = 0});
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss", "mae"}));
}

// Functions keep the name that was typed; the name of a class gives its default name.
TEST(MetricsNames, OfFunctionsAreAsTyped) {
  Sequential model = line(1);
  model.compile({.loss = "mse",
                 .metrics = {"MeanAbsolutePercentageError", "MAE", metrics::MeanSquaredError()}});
  model.evaluate(column_x(), ya(), {.verbose = 0});
  EXPECT_EQ(model.metrics_names(),
            (std::vector<std::string>{"loss", "mean_absolute_percentage_error", "MAE",
                                      "mean_squared_error"}));
}

// However many of the class there were in this process.
TEST(MetricsNames, OfAClassGivenByNameAreNotCounted) {
  const metrics::AUC other;
  const metrics::Precision another;
  Sequential model = line(1);
  model.compile({.loss = "mse", .metrics = {"Precision", "AUC"}});
  model.evaluate(column_x(), Tensor::of<float>({0, 1, 1}, {3, 1}), {.verbose = 0});
  EXPECT_EQ(model.metrics_names(), (std::vector<std::string>{"loss", "precision", "auc"}));
}

class AddsToLogs : public Callback {
 public:
  void on_epoch_end(int, const Logs&) override { add_log("mine", 1); }
};

TEST(Logs, WhatACallbackAddsLaterOnesAndHistorySee) {
  Sequential model = line(1);
  model.compile({.loss = "mse"});
  std::vector<size_t> sizes;
  const callbacks::LambdaCallback note(
      {.on_epoch_end = [&](int64_t, const Logs& logs) { sizes.push_back(logs.size()); },
       .on_train_end = [&](const Logs& logs) { sizes.push_back(logs.size()); }});
  const History h =
      model.fit(column_x(), ya(), {.verbose = 0, .callbacks = {note, AddsToLogs(), note}});
  EXPECT_EQ(h.history["mine"], (std::vector<double>{1}));
  // At the end of training, only values that the model computed.
  EXPECT_EQ(sizes, (std::vector<size_t>{1, 2, 1, 1}));
}

/// Three classes for inputs of one number.
Sequential classifier(const losses::SparseCategoricalCrossentropyOptions& options = {}) {
  Sequential model({Dense(3, {.activation = "softmax"})});
  model.compile({.optimizer = "sgd", .loss = losses::SparseCategoricalCrossentropy(options)});
  return model;
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "";
}

TEST(SparseLabels, OutOfRangeAreNamed) {
  Sequential model = classifier();
  EXPECT_EQ(message([&] {
              model.fit(column_x(), Tensor::of({0, 3, 1}), {.verbose = 0});
            }),
            "Received a label value of 3 which is outside the valid range of [0, 3): `y` has it at "
            "index 1, and there are 3 classes.");
  EXPECT_NE(message([&] {
              model.fit(column_x(), Tensor::of({{0}, {1}, {-1}}), {.verbose = 0});
            })
                .find("value of -1 which is outside the valid range of [0, 3): `y` has it at index "
                      "(2, 0)"),
            std::string::npos);
  EXPECT_NE(message([&] {
              model.evaluate(column_x(), Tensor::of<float>({0, 1, 7}), {.verbose = 0});
            }).find("value of 7"),
            std::string::npos);
  EXPECT_NE(message([&] {
              model.fit(column_x(), Tensor::of({0, 1, 2}),
                        {.verbose = 0, .validation_data = {column_x(), Tensor::of({0, 1, 4})}});
            }).find("`validation_data` has it at index 2"),
            std::string::npos);
  // The wrong data did not change the weights, and valid data still trains the model.
  EXPECT_NO_THROW(model.fit(column_x(), Tensor::of({0, 2, 1}), {.verbose = 0}));
}

TEST(SparseLabels, OneMayBeIgnored) {
  Sequential model = classifier({.ignore_class = -1});
  EXPECT_NO_THROW(model.fit(column_x(), Tensor::of({0, -1, 1}), {.verbose = 0}));
  EXPECT_NE(message([&] { model.fit(column_x(), Tensor::of({0, -2, 1}), {.verbose = 0}); }), "");
}

TEST(SparseLabels, NothingIsLearnedFromWrongOnes) {
  Sequential model = classifier();
  model.build({None, 1});
  const Tensor before = model.get_weights()[0];
  EXPECT_NE(message([&] { model.fit(column_x(), Tensor::of({0, 3, 1}), {.verbose = 0}); }), "");
  EXPECT_EQ(model.get_weights()[0].to_doubles(), before.to_doubles());
}

TEST(SparseLabels, OfOneOutputAmongOthers) {
  const Tensor in = Input({1});
  Model model(in, Nest{Dense(1, {.name = "a"})(in),
                       Dense(2, {.activation = "softmax", .name = "kind"})(in)});
  model.compile({.loss = {{"a", "mse"}, {"kind", "sparse_categorical_crossentropy"}}});
  const Tensor kinds = Tensor::of({0, 1, 2});
  EXPECT_NE(message([&] {
              model.fit(column_x(), {{"a", ya()}, {"kind", kinds}}, {.verbose = 0});
            }).find("`y` of the output 'kind' has it at index 2"),
            std::string::npos);
  EXPECT_NE(message([&] { model.fit(column_x(), {ya(), kinds}, {.verbose = 0}); }), "");
}

}  // namespace
}  // namespace antler
