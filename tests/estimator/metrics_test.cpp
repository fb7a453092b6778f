#include "antler/estimator/metrics.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/batch_list.h"

/// The expected numbers come from TensorFlow 2.15's tf.compat.v1.metrics.
namespace antler::estimator {
namespace {

std::vector<float> floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Rows [first, last) of twelve examples.
Nest examples(int64_t first, int64_t last) {
  const std::map<std::string, Tensor> columns = {
      {"label", Tensor::of<int64_t>({0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1})},
      {"score", Tensor::of(floats(
                    {0.13, 0.21, 0.05, 0.44, 0.03, 0.46, 0.65, 0.28, 0.68, 0.59, 0.02, 0.56}))},
      {"weight", Tensor::of(floats({0.5, 0.8, 0.6, 1.4, 0.9, 0.3, 1.1, 1.6, 0.6, 0.4, 0.8, 1.9}))},
      {"class", Tensor::of<int64_t>({0, 3, 2, 0, 0, 1, 2, 0, 3, 1, 0, 0})},
      {"predicted", Tensor::of<int64_t>({3, 1, 1, 2, 1, 1, 1, 1, 1, 3, 2, 3})},
      {"scores",
       Tensor::of(floats({0.27, 0.29, 0.46, 0.86, 0.59, 0.28, 0.28, 0.45, 0.21, 0.2,  0.51, 0.09,
                          0.48, 0.36, 0.71, 0.75, 0.69, 0.69, 0.37, 0.67, 0.34, 0.57, 0.33, 0.45,
                          0.06, 0.24, 0.97, 0.23, 0.69, 0.65, 0.72, 0.48, 0.6,  0.07, 0.07, 0.2,
                          0.15, 0.1,  0.13, 0.55, 0.19, 0.95, 0.68, 0.54, 0.71, 0.26, 0.93, 0.84}),
                  {12, 4})}};
  Nest::Items features;
  for (const auto& [name, column] : columns)
    features.emplace_back(name, ops::slice_axis(column, 0, first, last));
  return Nest(std::vector<Nest>{Nest::dict(features), Nest()});
}

/// Runs an evaluation of two batches of different sizes.
std::map<std::string, std::vector<double>> evaluate(
    const std::function<EvalMetricOps(const Nest& features)>& make_metrics) {
  const ModelFn model_fn = [&](const ModelFnArgs& args) -> EstimatorSpec {
    return {.mode = args.mode,
            .loss = ops::mean(args.features.at("score").tensor()),
            .eval_metric_ops = make_metrics(args.features)};
  };
  GraphRun run(model_fn, ModeKeys::eval, {examples(0, 5), examples(5, 12)});
  run.run(2);
  std::map<std::string, std::vector<double>> values;
  for (const auto& [name, metric] : run.spec().eval_metric_ops)
    values[name] = metric.value().to_doubles();
  for (const auto& [name, variable] : run.graph().variables()) EXPECT_EQ(name, "global_step");
  return values;
}

void expect_values(const std::map<std::string, std::vector<double>>& actual,
                   const std::map<std::string, std::vector<double>>& expected) {
  for (const auto& [name, values] : expected) {
    ASSERT_TRUE(actual.contains(name)) << name;
    ASSERT_EQ(actual.at(name).size(), values.size()) << name;
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(actual.at(name)[i], values[i], 2e-6) << name;
  }
}

EvalMetricOps all_metrics(const Nest& features, const Tensor& weights) {
  const Tensor label = features.at("label").tensor();
  const Tensor score = features.at("score").tensor();
  const Tensor number = ops::cast(label, DType::float32);
  const Tensor hard = ops::greater(score, 0.5);
  const Tensor true_class = features.at("class").tensor();
  const Tensor predicted = features.at("predicted").tensor();
  const Tensor scores = features.at("scores").tensor();
  const metrics::MetricOptions options{.weights = weights};
  const std::vector<double> limits = {0.2, 0.6};
  return {
      {"accuracy", metrics::accuracy(label, hard, options)},
      {"mean", metrics::mean(score, options)},
      {"mae", metrics::mean_absolute_error(number, score, options)},
      {"mse", metrics::mean_squared_error(number, score, options)},
      {"rmse", metrics::root_mean_squared_error(number, score, options)},
      {"rel", metrics::mean_relative_error(number, score, number, options)},
      {"below", metrics::percentage_below(score, 0.4, options)},
      {"tp", metrics::true_positives(label, hard, options)},
      {"tn", metrics::true_negatives(label, hard, options)},
      {"fp", metrics::false_positives(label, hard, options)},
      {"fn", metrics::false_negatives(label, hard, options)},
      {"precision", metrics::precision(label, hard, options)},
      {"recall", metrics::recall(label, hard, options)},
      {"tpat", metrics::true_positives_at_thresholds(label, score, limits, options)},
      {"tnat", metrics::true_negatives_at_thresholds(label, score, limits, options)},
      {"fpat", metrics::false_positives_at_thresholds(label, score, limits, options)},
      {"fnat", metrics::false_negatives_at_thresholds(label, score, limits, options)},
      {"pat", metrics::precision_at_thresholds(label, score, limits, options)},
      {"rat", metrics::recall_at_thresholds(label, score, limits, options)},
      {"auc", metrics::auc(label, score, {.weights = weights})},
      {"auc pr careful", metrics::auc(label, score,
                                      {.weights = weights,
                                       .num_thresholds = 20,
                                       .curve = "PR",
                                       .summation_method = "careful_interpolation"})},
      {"auc minoring",
       metrics::auc(label, score,
                    {.weights = weights, .num_thresholds = 20, .summation_method = "minoring"})},
      {"auc pr majoring", metrics::auc(label, score,
                                       {.weights = weights,
                                        .curve = "PR",
                                        .summation_method = "majoring",
                                        .thresholds = std::vector{0.3, 0.7, 0.5}})},
      {"sens", metrics::sensitivity_at_specificity(label, score, 0.6, {.weights = weights})},
      {"spec", metrics::specificity_at_sensitivity(label, score, 0.6, {.weights = weights})},
      {"class acc", metrics::mean_per_class_accuracy(true_class, predicted, 4, options)},
      {"iou", metrics::mean_iou(true_class, predicted, 4, options)},
      {"p@2", metrics::precision_at_k(true_class, scores, 2, {.weights = weights})},
      {"r@2", metrics::recall_at_k(true_class, scores, 2, {.weights = weights})},
      {"p@2 c1",
       metrics::precision_at_k(true_class, scores, 2, {.class_id = 1, .weights = weights})},
      {"r@2 c1", metrics::recall_at_k(true_class, scores, 2, {.class_id = 1, .weights = weights})},
      {"cosdist", metrics::mean_cosine_distance(scores, scores + 0.1, 1, options)},
  };
}

TEST(EstimatorMetrics, EqualTensorFlows) {
  const auto values = evaluate([](const Nest& features) { return all_metrics(features, {}); });
  expect_values(values, {
                            {"accuracy", {0.666666687}},
                            {"mean", {0.341666669}},
                            {"mae", {0.408333331}},
                            {"mse", {0.241249993}},
                            {"rmse", {0.491172075}},
                            {"rel", {0.283333331}},
                            {"below", {0.5}},
                            {"tp", {3}},
                            {"tn", {5}},
                            {"fp", {1}},
                            {"fn", {3}},
                            {"precision", {0.75}},
                            {"recall", {0.5}},
                            {"tpat", {5, 1}},
                            {"tnat", {3, 5}},
                            {"fpat", {3, 1}},
                            {"fnat", {1, 5}},
                            {"pat", {0.625, 0.5}},
                            {"rat", {0.833333313, 0.166666672}},
                            {"auc", {0.72222209}},
                            {"auc pr careful", {0.621067643}},
                            {"auc minoring", {0.638888836}},
                            {"auc pr majoring", {0.84722209}},
                            {"sens", {0.833333313}},
                            {"spec", {0.666666687}},
                            {"class acc", {0.125}},
                            {"iou", {0.03125}},
                            {"p@2", {0.291666667}},
                            {"r@2", {0.583333333}},
                            {"p@2 c1", {0.25}},
                            {"r@2 c1", {0.5}},
                            {"cosdist", {-0.281191707}},
                        });
}

TEST(EstimatorMetrics, EqualTensorFlowsWithWeights) {
  const auto values = evaluate(
      [](const Nest& features) { return all_metrics(features, features.at("weight").tensor()); });
  expect_values(values, {
                            {"accuracy", {0.568807364}},
                            {"mean", {0.360642225}},
                            {"mae", {0.442844033}},
                            {"mse", {0.264182568}},
                            {"rmse", {0.513986945}},
                            {"rel", {0.339266062}},
                            {"below", {0.477064222}},
                            {"tp", {2.9000001}},
                            {"tn", {3.29999971}},
                            {"fp", {1.10000002}},
                            {"fn", {3.5999999}},
                            {"precision", {0.725000024}},
                            {"recall", {0.446153849}},
                            {"tpat", {5.9000001, 0.600000024}},
                            {"tnat", {2.20000005, 3.29999971}},
                            {"fpat", {2.20000005, 1.10000002}},
                            {"fnat", {0.600000024, 5.9000001}},
                            {"pat", {0.728395045, 0.352941155}},
                            {"rat", {0.907692313, 0.0923076943}},
                            {"auc", {0.708041787}},
                            {"auc pr careful", {0.653036892}},
                            {"auc minoring", {0.649300575}},
                            {"auc pr majoring", {0.863967538}},
                            {"sens", {0.907692313}},
                            {"spec", {0.681818187}},
                            {"class acc", {0.107142851}},
                            {"iou", {0.0119047621}},
                            {"p@2", {0.270642205}},
                            {"r@2", {0.541284409}},
                            {"p@2 c1", {0.0967741966}},
                            {"r@2 c1", {0.428571435}},
                            {"cosdist", {-0.540655971}},
                        });
}

TEST(EstimatorMetrics, MeansOfTensorsAndLabelsWithALastDimension) {
  const auto values = evaluate([](const Nest& features) -> EvalMetricOps {
    const Tensor score = features.at("score").tensor();
    const Tensor label = features.at("label").tensor();
    return {{"means", metrics::mean_tensor(ops::stack({ops::mean(score), ops::max(score)}))},
            {"accuracy", metrics::accuracy(ops::expand_dims(label, 1), ops::greater(score, 0.5))}};
  });
  // Of the batches' means 0.172 and 3.24 / 7, and of their maxima 0.44 and 0.68.
  expect_values(values, {{"means", {(0.172 + 3.24 / 7) / 2, 0.56}}, {"accuracy", {8.0 / 12}}});
}

TEST(EstimatorMetrics, RepeatedLabelsOfARowCountOnce) {
  const auto values = evaluate([](const Nest& features) -> EvalMetricOps {
    const Tensor scores = features.at("scores").tensor();
    const Tensor classes = features.at("class").tensor();
    const Tensor twice = ops::stack({classes, classes}, 1);
    return {{"once", metrics::recall_at_k(classes, scores, 2)},
            {"twice", metrics::recall_at_k(twice, scores, 2)}};
  });
  EXPECT_EQ(values.at("once"), values.at("twice"));
}

TEST(EstimatorMetrics, RefuseWrongArguments) {
  const auto failing = [](const std::function<EvalMetricOp(const Nest&)>& make) {
    EXPECT_THROW(evaluate([&](const Nest& features) {
                   return EvalMetricOps{{"m", make(features)}};
                 }),
                 ValueError);
  };
  const auto label = [](const Nest& features) { return features.at("label").tensor(); };
  const auto score = [](const Nest& features) { return features.at("score").tensor(); };
  failing([&](const Nest& f) { return metrics::auc(label(f), score(f), {.curve = "XY"}); });
  failing([&](const Nest& f) {
    return metrics::auc(label(f), score(f), {.summation_method = "guessing"});
  });
  failing([&](const Nest& f) {
    return metrics::auc(label(f), score(f), {.thresholds = std::vector{2.0}});
  });
  failing(
      [&](const Nest& f) { return metrics::sensitivity_at_specificity(label(f), score(f), 1.5); });
  failing([&](const Nest& f) { return metrics::accuracy(label(f), f.at("scores").tensor()); });
  failing([&](const Nest& f) {
    return metrics::mean(score(f), {.weights = Tensor::of<float>({1, 2})});
  });
  failing([&](const Nest& f) {
    return metrics::precision_at_k(f.at("class").tensor(), f.at("scores").tensor(), 0);
  });
}

}  // namespace
}  // namespace antler::estimator
