#include <algorithm>
#include <set>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/metrics.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/metrics/thresholds.h"

/// Areas under curves, and points on them.
namespace antler::estimator::metrics {
namespace {

/// Totals of ThresholdCounts::all().
struct Totals {
  explicit Totals(const Tensors& totals)
      : tp(totals[0]), fp(totals[1]), tn(totals[2]), fn(totals[3]) {}
  Tensor tp, fp, tn, fn;
};

/// front(): all elements of a vector except the last. back(): all except the first.
Tensor front(const Tensor& x) { return ops::slice_axis(x, 0, 0, x.size() - 1); }
Tensor back(const Tensor& x) { return ops::slice_axis(x, 0, 1, x.size()); }

/// The area below precision over recall, interpolated as in Davis and Goadrich 2006: between two
/// thresholds, true positives are a linear function of positives.
Tensor interpolated_precision_recall(const Totals& t) {
  const Tensor positives = t.tp + t.fp;
  const Tensor gain = front(t.tp) - back(t.tp);
  const Tensor slope =
      ops::divide_no_nan(gain, ops::maximum(front(positives) - back(positives), 0.0));
  const Tensor intercept = back(t.tp) - slope * back(positives);
  const Tensor both =
      ops::logical_and(ops::greater(front(positives), 0.0), ops::greater(back(positives), 0.0));
  const Tensor ratio = ops::where(both, ops::divide_no_nan(front(positives), back(positives)), 1.0);
  return ops::sum(ops::divide_no_nan(slope * (gain + intercept * ops::log(ratio)),
                                     ops::maximum(back(t.tp) + back(t.fn), 0.0)));
}

Tensor area(const Totals& t, const std::string& curve, const std::string& method) {
  if (curve == "PR" && method == "careful_interpolation") return interpolated_precision_recall(t);
  constexpr double kEpsilon = 1e-6;
  const Tensor recall = (t.tp + kEpsilon) / (t.tp + t.fn + kEpsilon);
  const bool roc = curve == "ROC";
  const Tensor x = roc ? t.fp / (t.fp + t.tn + kEpsilon) : recall;
  const Tensor y = roc ? recall : (t.tp + kEpsilon) / (t.tp + t.fp + kEpsilon);
  Tensor height = (front(y) + back(y)) * 0.5;
  if (method == "minoring") height = ops::minimum(front(y), back(y));
  if (method == "majoring") height = ops::maximum(front(y), back(y));
  return ops::sum((front(x) - back(x)) * height);
}

void check_unit(const std::string& name, double value) {
  if (value >= 0 && value <= 1) return;
  throw ValueError("`{}` must be in the range [0, 1]. Currently, `{}` is {}.", name, name, value);
}

constexpr double kSmall = 1e-7;

/// The element of a vector at a traced index.
Tensor at(const Tensor& x, const Tensor& index) { return ops::take(x, index, 0); }

}  // namespace

EvalMetricOp auc(const Tensor& labels, const Tensor& predictions, const AUCOptions& options) {
  if (options.curve != "ROC" && options.curve != "PR")
    throw ValueError("Curve must be either ROC or PR. Curve {} is unknown.", options.curve);
  static const std::set<std::string> methods = {"trapezoidal", "careful_interpolation", "minoring",
                                                "majoring"};
  if (!methods.contains(options.summation_method)) {
    throw ValueError(
        "Invalid summation_method: {}. summation_method should be 'trapezoidal', "
        "'careful_interpolation', 'minoring', or 'majoring'.",
        options.summation_method);
  }
  if (options.curve == "PR" && options.summation_method == "trapezoidal") {
    logging::warning(
        "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
        "\"careful_interpolation\" instead.");
  }
  std::vector<double> thresholds = even_thresholds(options.num_thresholds);
  if (options.thresholds) {
    for (const double threshold : *options.thresholds) check_unit("thresholds", threshold);
    std::vector<double> sorted = *options.thresholds;
    std::sort(sorted.begin(), sorted.end());
    sorted.insert(sorted.begin(), thresholds.front());
    sorted.push_back(thresholds.back());
    thresholds = std::move(sorted);
  }
  const ThresholdCounts counts("auc", labels, predictions, thresholds, options.weights);
  return accumulated("auc", counts.all(),
                     [curve = options.curve, method = options.summation_method](
                         const Tensors& totals) { return area(Totals(totals), curve, method); });
}

EvalMetricOp sensitivity_at_specificity(const Tensor& labels, const Tensor& predictions,
                                        double specificity, const ThresholdSearchOptions& options) {
  check_unit("specificity", specificity);
  const std::string name = "sensitivity_at_specificity";
  const ThresholdCounts counts(name, labels, predictions, even_thresholds(options.num_thresholds),
                               options.weights);
  return accumulated(name, counts.all(), [specificity](const Tensors& totals) {
    const Totals t(totals);
    const Tensor best = ops::argmin(ops::abs(t.tn / (t.tn + t.fp + kSmall) - specificity), 0);
    return at(t.tp, best) / (at(t.tp, best) + at(t.fn, best) + kSmall);
  });
}

EvalMetricOp specificity_at_sensitivity(const Tensor& labels, const Tensor& predictions,
                                        double sensitivity, const ThresholdSearchOptions& options) {
  check_unit("sensitivity", sensitivity);
  const std::string name = "specificity_at_sensitivity";
  const ThresholdCounts counts(name, labels, predictions,
                               even_thresholds(options.num_thresholds, true), options.weights);
  return accumulated(name, counts.all(), [sensitivity](const Tensors& totals) {
    const Totals t(totals);
    // The last of several equally near ones, because it has the best specificity.
    const Tensor distance = ops::abs(t.tp / (t.tp + t.fn + kSmall) - sensitivity);
    const Tensor best = (distance.size() - 1) - ops::argmin(ops::flip(distance), 0);
    return at(t.tn, best) / (at(t.tn, best) + at(t.fp, best) + kSmall);
  });
}

}  // namespace antler::estimator::metrics
