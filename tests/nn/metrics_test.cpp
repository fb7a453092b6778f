#include "antler/nn/metrics.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

TEST(Metrics, FunctionNamesAreKeptAsTyped) {
  EXPECT_EQ(metrics::get("mae")->name(), "mae");
  EXPECT_EQ(metrics::get("MSE")->name(), "MSE");
  EXPECT_EQ(metrics::get("MeanSquaredError")->name(), "mean_squared_error");
  EXPECT_EQ(metrics::get("mae")->class_name(), "MeanAbsoluteError");
  EXPECT_EQ(metrics::get("huber")->name(), "huber");
}

TEST(Metrics, UnknownNamesListTheKnownOnes) {
  try {
    metrics::get("acuracy");
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'acuracy'"), std::string::npos) << text;
    EXPECT_NE(text.find("'BinaryAccuracy'"), std::string::npos) << text;
  }
}

TEST(Metrics, AccuracyByShape) {
  const auto resolved = [](const char* name, const Shape& y_true, const Shape& y_pred) {
    const MetricPtr metric = metrics::get_by_shape(name, y_true, y_pred);
    EXPECT_EQ(metric->name(), name);
    return metric->class_name();
  };
  EXPECT_EQ(resolved("accuracy", {8}, {8, 1}), "BinaryAccuracy");
  EXPECT_EQ(resolved("acc", {8}, {8, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(resolved("Acc", {8, 1}, {8, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(resolved("accuracy", {8, 10}, {8, 10}), "CategoricalAccuracy");
  EXPECT_EQ(resolved("accuracy", {8, 5}, {8, 5, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(resolved("ce", {8, 1}, {8, 1}), "BinaryCrossentropy");
  EXPECT_EQ(resolved("crossentropy", {8}, {8, 3}), "SparseCategoricalCrossentropy");
  EXPECT_EQ(resolved("crossentropy", {8, 3}, {8, 3}), "CategoricalCrossentropy");
  EXPECT_TRUE(metrics::is_resolved_by_shape("accuracy"));
  EXPECT_EQ(resolved("Accuracy", {8, 1}, {8, 10}), "SparseCategoricalAccuracy");
  EXPECT_FALSE(metrics::is_resolved_by_shape("mae"));
}

TEST(Metrics, HalfIsNotAboveTheThreshold) {
  metrics::BinaryAccuracy metric;
  metric.update_state(Tensor::of<float>({1, 0}, {2, 1}), Tensor::of<float>({0.5F, 0.5F}, {2, 1}));
  EXPECT_EQ(metric.result().tensor().item(), 0.5);
  // Any threshold is accepted.
  metrics::BinaryAccuracy above({.threshold = 1.5});
  above.update_state(Tensor::of<float>({1, 0}, {2, 1}), Tensor::of<float>({0.5F, 2}, {2, 1}));
  EXPECT_EQ(above.result().tensor().item(), 0.0);
}

TEST(Metrics, CopiesShareAndFreshOnesDoNot) {
  metrics::Mean mean({.name = "loss"});
  const metrics::Mean copy = mean;
  const MetricPtr shared = mean.share();
  const MetricPtr fresh = mean.fresh();
  mean.update_state(Tensor::of<float>({1, 3}));
  EXPECT_EQ(copy.result().tensor().item(), 2.0);
  EXPECT_EQ(shared->result().tensor().item(), 2.0);
  EXPECT_EQ(fresh->result().tensor().item(), 0.0);
  EXPECT_EQ(fresh->name(), "loss");
  mean.reset_state();
  EXPECT_EQ(copy.result().tensor().item(), 0.0);
}

TEST(Metrics, FreshKeepsOptionsAndName) {
  metrics::BinaryAccuracy metric({.threshold = 0.8});
  metric.set_name("high");
  const MetricPtr fresh = metric.fresh();
  fresh->update_state(Tensor::of<float>({1}, {1, 1}), Tensor::of<float>({0.7F}, {1, 1}));
  EXPECT_EQ(fresh->result().tensor().item(), 0.0);
  EXPECT_EQ(fresh->name(), "high");
  EXPECT_EQ(metrics::serialize(*fresh), metrics::serialize(metric));
  EXPECT_EQ(fresh->variables()[0].path(), "high/total");
}

TEST(Metrics, ConfigurationRoundTrip) {
  const metrics::SparseCategoricalCrossentropy metric(
      {.name = "s", .from_logits = true, .ignore_class = 3});
  const Json json = metrics::serialize(metric);
  EXPECT_EQ(json["config"]["ignore_class"], 3);
  EXPECT_EQ(metrics::serialize(*metrics::deserialize(json)), json);
  EXPECT_EQ(metrics::deserialize(json)->direction(), "down");
}

// As in Keras 3: without weights an ignored target is a value of 0, with weights it is none.
TEST(Metrics, IgnoredClassesCountOnlyWithoutWeights) {
  const Tensor y_pred = Tensor::of<float>({0.5F, 0.5F, 0.25F, 0.75F}, {2, 2});
  metrics::SparseCategoricalCrossentropy metric({.ignore_class = -1});
  metric.update_state(Tensor::of<int32_t>({0, -1}), y_pred);
  EXPECT_NEAR(metric.result().tensor().item(), -std::log(0.5) / 2, 1e-5);
  metric.reset_state();
  metric.update_state(Tensor::of<int32_t>({0, -1}), y_pred, Tensor::of<float>({2, 1}));
  EXPECT_NEAR(metric.result().tensor().item(), -std::log(0.5), 1e-5);
}

TEST(Metrics, WeightsMustFit) {
  metrics::Mean mean;
  EXPECT_THROW(mean.update_state(Tensor::of<float>({1, 2, 3}), Tensor::of<float>({1, 2})),
               ValueError);
}

// Keras's figures for these labels, scores and weights.
const Tensor kLabels = Tensor::of<float>({0, 0, 1, 1, 1, 0, 1, 0});
const Tensor kScores = Tensor::of<float>({.1F, .4F, .35F, .8F, .65F, .5F, .51F, .7F});
const Tensor kWeights = Tensor::of<float>({1, 2, 1, 1, .5F, 1, 1, 3});

std::vector<double> weighted(Metric&& metric) {
  metric.update_state(kLabels, kScores, kWeights);
  return metric.result().tensor().to_doubles();
}

// Keras 3.15: metrics.Accuracy()(...) and BinaryAccuracy()(...) with a weight for each element.
TEST(Metrics, AccuracyTakesAWeightForEachElement) {
  const Tensor y_true = ops::reshape(Tensor::of<float>({0, 1, 0, 1, 1, 0}), {2, 3});
  const Tensor y_pred = ops::reshape(Tensor::of<float>({2, 1, 1, 1, 0, 0}), {2, 3});
  const Tensor weight = ops::reshape(Tensor::of<float>({0.6F, 1.8F, 1.7F, 0.2F, 1, 3}), {2, 3});
  metrics::Accuracy equal;
  metrics::BinaryAccuracy binary;
  for (const Metric* metric : std::initializer_list<const Metric*>{&equal, &binary}) {
    const MetricPtr fresh = metric->fresh();
    fresh->update_state(y_true, y_pred, weight);
    EXPECT_NEAR(fresh->result().tensor().item(), 0.602410, 1e-6);
    EXPECT_NEAR(fresh->variables()[1].value().item(), 2.766667, 1e-6);
  }
}

TEST(Metrics, CountsAtThresholds) {
  EXPECT_NEAR(weighted(metrics::AUC())[0], 0.5714285, 1e-6);
  EXPECT_NEAR(weighted(metrics::AUC({.curve = "PR"}))[0], 0.5363672, 1e-6);
  EXPECT_NEAR(weighted(metrics::AUC({.num_thresholds = 20, .curve = "PRGAIN"}))[0], -0.0423810,
              1e-6);
  EXPECT_NEAR(weighted(metrics::Precision())[0], 0.4545455, 1e-6);
  EXPECT_NEAR(weighted(metrics::Recall())[0], 0.7142857, 1e-6);
  const std::vector<double> two = weighted(metrics::Precision({.thresholds = {.3, .6}}));
  EXPECT_NEAR(two[0], 0.368421, 1e-6);
  EXPECT_NEAR(two[1], 0.3333333, 1e-6);
  EXPECT_NEAR(weighted(metrics::SensitivityAtSpecificity(.7))[0], 0.2857143, 1e-6);
  EXPECT_NEAR(weighted(metrics::PrecisionAtRecall(.7))[0], 0.4545455, 1e-6);
  EXPECT_NEAR(weighted(metrics::RecallAtPrecision(.7))[0], 0.2857143, 1e-6);
  EXPECT_NEAR(weighted(metrics::BinaryIoU({.dtype = DType::float32}))[0], 0.3541667, 1e-6);
}

// Keras's numbers. Predictions of 0, also those outside the top k, are above no threshold.
TEST(Metrics, CountsOfZeroAtEvenThresholds) {
  const Tensor y_true = Tensor::of<float>({1, 0, 1, 0, 1});
  const Tensor y_pred = Tensor::of<float>({0, 0, .3F, .7F, 1});
  metrics::TruePositives positives({.thresholds = {0., .5, 1.}});
  positives.update_state(y_true, y_pred);
  EXPECT_EQ(positives.result().tensor().to_vector<float>(), (std::vector<float>{2, 1, 0}));
  metrics::FalseNegatives negatives({.thresholds = {0., .5, 1.}});
  negatives.update_state(y_true, y_pred);
  EXPECT_EQ(negatives.result().tensor().to_vector<float>(), (std::vector<float>{1, 2, 3}));

  metrics::Precision precision({.thresholds = {0., .5, 1.}, .top_k = 1});
  precision.update_state(Tensor::of<float>({1, 0, 0, 1}, {2, 2}),
                         Tensor::of<float>({.9F, .4F, .8F, .3F}, {2, 2}));
  EXPECT_EQ(precision.result().tensor().to_vector<float>(), (std::vector<float>{.5F, .5F, 0}));

  metrics::AUC labels({.num_thresholds = 3, .multi_label = true});
  labels.update_state(Tensor::of<float>({1, 0, 0, 1}, {2, 2}),
                      Tensor::of<float>({0, 0, 1, .6F}, {2, 2}));
  EXPECT_NEAR(labels.result().tensor().item(), 0.5, 1e-6);
}

TEST(Metrics, AdjustedDetermination) {
  metrics::R2Score metric({.num_regressors = 2});
  metric.update_state(ops::expand_dims(kLabels, 1), ops::expand_dims(kScores, 1));
  EXPECT_NEAR(metric.result().tensor().item(), -0.2145700, 1e-5);
}

// The variance of a single target may be a rounding error instead of 0, and must not be a divisor.
TEST(Metrics, CorrelationsOverAllAxes) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 5}, {2, 2});
  const Tensor y = Tensor::of<float>({2, 1, 4, 3}, {2, 2});
  const Json json = metrics::serialize(metrics::PearsonCorrelation({.axis = {}}));
  EXPECT_TRUE(json["config"]["axis"].is_null());
  const MetricPtr metric = metrics::deserialize(json);
  metric->update_state(x, y);
  EXPECT_NEAR(metric->result().tensor().item(), 0.529150, 1e-5);
  EXPECT_EQ(metric->variables()[1].value().item(), 1);  // the count: one correlation
}

TEST(Metrics, DeterminationOfOneTargetIsZero) {
  for (const float y : {0.1F, 0.3F, 1.7F, -2.9F, 123.457F}) {
    metrics::R2Score metric;
    metric.update_state(Tensor::of<float>({y}, {1, 1}), Tensor::of<float>({0.5F}, {1, 1}));
    EXPECT_EQ(metric.result().tensor().item(), 0.0) << y;
  }
}

TEST(Metrics, FScoresTakeWeightsOfSamplesWithAndWithoutAnAxis) {
  const Tensor truth = Tensor::of<float>({1, 0, 0, 1, 1, 0}, {3, 2});
  const Tensor scores = Tensor::of<float>({.9F, .1F, .8F, .2F, .3F, .7F}, {3, 2});
  metrics::FBetaScore flat({.beta = 2.0});
  flat.update_state(truth, scores, Tensor::of<float>({1, 2, 0.5F}));
  metrics::FBetaScore column({.beta = 2.0});
  column.update_state(truth, scores, Tensor::of<float>({1, 2, 0.5F}, {3, 1}));
  EXPECT_EQ(column.result().tensor().to_doubles(), flat.result().tensor().to_doubles());
}

// Keras 3 broadcasts a column of weights to [batch, batch, classes] under "micro".
TEST(Metrics, MicroFScoresBroadcastAColumnOfWeights) {
  const Tensor truth = Tensor::of<float>({1, 0, 0, 1, 1, 0}, {3, 2});
  const Tensor scores = Tensor::of<float>({.9F, .1F, .8F, .2F, .3F, .7F}, {3, 2});
  const auto counts = [&](const Tensor& weight, double expected) {
    metrics::FBetaScore metric({.average = "micro", .beta = 2.0});
    metric.update_state(truth, scores, weight);
    EXPECT_NEAR(metric.result().tensor().item(), expected, 1e-6);
    std::vector<double> all;
    for (const Variable& count : metric.variables()) all.push_back(count.value().item());
    return all;
  };
  using Doubles = std::vector<double>;
  EXPECT_EQ(counts(Tensor::of<float>({1, 2, 0.5F}), 0.285714), (Doubles{1, 2.5, 2.5, 3.5}));
  EXPECT_EQ(counts(Tensor::of<float>({1, 2, 0.5F}, {3, 1}), 0.333333), (Doubles{3.5, 7, 7, 10.5}));
  EXPECT_EQ(counts(Tensor::of<float>({1, 2, 0.5F, 1, 3, 0}, {3, 2}), 0.375),
            (Doubles{4.5, 7.5, 7.5, 12}));
}

// Figures of Keras 3: unlike the losses, these metrics compare each target with each prediction.
TEST(Metrics, TargetsWithoutTheLastAxisAreBroadcast) {
  const Tensor y_true = Tensor::of<float>({1, 0, 1});
  const Tensor y_pred = Tensor::of<float>({0.1F, 0.5F, 0.3F}, {3, 1});
  const auto expect = [&](Metric&& metric, double plain, double weighted) {
    metric.update_state(y_true, y_pred);
    EXPECT_NEAR(metric.result().tensor().item(), plain, 1e-5) << metric.name();
    metric.reset_state();
    metric.update_state(y_true, y_pred, Tensor::of<float>({1, 2, 0.5F}));
    EXPECT_NEAR(metric.result().tensor().item(), weighted, 1e-5) << metric.name();
  };
  expect(metrics::Hinge(), 0.9, 0.880952);
  expect(metrics::SquaredHinge(), 0.916667, 0.920476);
  expect(metrics::CategoricalHinge(), 0.7, 0.642857);
  expect(metrics::Poisson(), 1.233267, 1.174450);
  expect(metrics::KLDivergence(), 2.799802, 2.451922);
}

TEST(Metrics, BadOptionsOfCounts) {
  EXPECT_THROW(metrics::Precision({.thresholds = 1.5}), ValueError);
  EXPECT_THROW(metrics::AUC({.curve = "XY"}), ValueError);
  EXPECT_THROW(metrics::AUC({.num_labels = 3}), ValueError);
  EXPECT_THROW(metrics::RecallAtPrecision(1.5), ValueError);
  EXPECT_THROW(metrics::FBetaScore({.average = "mean"}), ValueError);
  EXPECT_THROW(metrics::IoU(2, {2}), ValueError);
  EXPECT_THROW(metrics::R2Score({.class_aggregation = "sum"}), ValueError);
}

TEST(Metrics, MeansOfElementsAndRelativeErrors) {
  metrics::MeanTensor mean;
  EXPECT_THROW(mean.result(), ValueError);
  mean.update_state(Tensor::of<float>({9, 3, 1, 5}));
  mean.update_state(Tensor::of<float>({1, 1, 1, 1}), Tensor::of<float>({0, 1, 3, 1}));
  EXPECT_EQ(mean.result().tensor().to_doubles(), (std::vector<double>{9, 2, 1, 3}));
  metrics::MeanRelativeError error(Tensor::of<float>({1, 3, 2, 3}));
  error.update_state(Tensor::of<float>({1, 3, 2, 3}), Tensor::of<float>({2, 4, 6, 8}));
  EXPECT_NEAR(error.result().tensor().item(), 1.25, 1e-6);
}

TEST(Metrics, SortedClassesAsPredictions) {
  metrics::SparseTopKCategoricalAccuracy metric({.k = 2, .from_sorted_ids = true});
  metric.update_state(Tensor::of<int32_t>({1, 3}), Tensor::of<int32_t>({0, 1, 3, 0, 1, 3}, {2, 3}));
  EXPECT_EQ(metric.result().tensor().item(), 0.5);
}

TEST(Metrics, LazyVariablesAreShared) {
  metrics::F1Score score;
  const metrics::F1Score copy = score;
  score.update_state(Tensor::of<float>({1, 0, 0, 1}, {2, 2}),
                     Tensor::of<float>({.9F, .1F, .8F, .2F}, {2, 2}));
  EXPECT_EQ(copy.result().tensor().to_doubles(), score.result().tensor().to_doubles());
  EXPECT_EQ(copy.variables().size(), 4U);
  EXPECT_EQ(score.fresh()->variables().size(), 0U);
}

TEST(Metrics, AWrapperKeepsTheNameOfItsFunction) {
  const Json fn = {{"module", "builtins"}, {"class_name", "function"}, {"config", "huber"}};
  const Json config = {{"name", "h"}, {"dtype", "float32"}, {"fn", fn}, {"delta", 0.5}};
  const MetricPtr metric =
      metrics::deserialize({{"class_name", "MeanMetricWrapper"}, {"config", config}});
  EXPECT_EQ(metrics::serialize(*metric).at("config"), config);
  const MetricPtr again = metrics::deserialize(metrics::serialize(*metric));
  again->update_state(Tensor::of<float>({0, 0}), Tensor::of<float>({1, 0.25F}));
  EXPECT_DOUBLE_EQ(again->result().tensor().item(), 0.203125);
}

TEST(Metrics, MeanOfAFunction) {
  const MetricPtr metric = metrics::from_function(
      "gap", [](const Tensor& y_true, const Tensor& y_pred) { return y_pred - y_true; });
  metric->update_state(Tensor::of<float>({1, 1}), Tensor::of<float>({2, 4}),
                       Tensor::of<float>({1, 3}));
  EXPECT_NEAR(metric->result().tensor().item(), (1.0 + 9.0) / 4, 1e-6);
  EXPECT_EQ(metric->name(), "gap");
}

}  // namespace
}  // namespace antler
