#include "antler/nn/metrics/auc.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/list_field.h"
#include "nn/losses/support.h"
#include "nn/metrics/confusion_counts.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

namespace {

/// The name in Keras's spelling; lower case is accepted, too.
std::string known_name(const std::string& name,
                       const std::vector<std::pair<std::string, std::string>>& known,
                       const char* what, const char* expected) {
  for (const auto& [canonical, other] : known) {
    if (name == canonical || name == other) return canonical;
  }
  throw ValueError("Invalid AUC {} value: \"{}\". Expected values are {}", what, name, expected);
}

AUCOptions checked(AUCOptions o) {
  o.curve = known_name(o.curve, {{"ROC", "roc"}, {"PR", "pr"}, {"PRGAIN", "prgain"}}, "curve",
                       "[\"PR\", \"ROC\", \"PRGAIN\"]");
  o.summation_method = known_name(
      o.summation_method,
      {{"interpolation", "Interpolation"}, {"majoring", "Majoring"}, {"minoring", "Minoring"}},
      "summation method", "[\"interpolation\", \"majoring\", \"minoring\"]");
  if (o.thresholds) {
    check_thresholds(*o.thresholds);
    std::sort(o.thresholds->begin(), o.thresholds->end());
    o.num_thresholds = static_cast<int64_t>(o.thresholds->size()) + 2;
  } else if (o.num_thresholds <= 1) {
    throw ValueError(
        "Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={}",
        o.num_thresholds);
  }
  if (o.num_labels && !o.multi_label) {
    throw ValueError("`num_labels` is needed only when `multi_label` is True.");
  }
  if (o.name.empty()) o.name = unique_name("auc");
  return o;
}

/// The inner thresholds, preceded by one below 0 and followed by one above 1.
std::vector<double> with_ends(const AUCOptions& o) {
  std::vector<double> thresholds = {0.0 - losses::kEpsilon};
  if (o.thresholds) {
    thresholds.insert(thresholds.end(), o.thresholds->begin(), o.thresholds->end());
  } else {
    for (int64_t i = 1; i < o.num_thresholds - 1; ++i) {
      thresholds.push_back(static_cast<double>(i) / static_cast<double>(o.num_thresholds - 1));
    }
  }
  thresholds.push_back(1.0 + losses::kEpsilon);
  return thresholds;
}

Tensor without_last(const Tensor& x) { return ops::slice_axis(x, 0, 0, x.dim(0) - 1); }
Tensor without_first(const Tensor& x) { return ops::slice_axis(x, 0, 1, x.dim(0)); }

Tensor label_weights_of(const AUCOptions& o) {
  if (!o.label_weights) return {};
  return Tensor::of(std::vector<float>(o.label_weights->begin(), o.label_weights->end()));
}

}  // namespace

template <class V>
void fields(V& v, AUCOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("num_thresholds", o.num_thresholds);
  v("curve", o.curve);
  v("summation_method", o.summation_method);
  v("multi_label", o.multi_label);
  v("num_labels", o.num_labels);
  list_field(v, "label_weights", o.label_weights);
  v("from_logits", o.from_logits);
  list_field(v, "thresholds", o.thresholds);
}

AUC::AUC(const AUCOptions& o)
    // The name is chosen first, so that both base classes have the same name.
    : AUC(checked(o), 0) {}

AUC::AUC(const AUCOptions& o, int /*checked*/)
    : MetricOf(o, "AUC", o.name, o.dtype, config::write(o), "up"),
      thresholds_(with_ends(o)),
      counts_(std::make_shared<Counts>()) {
  const auto count = static_cast<int64_t>(thresholds_.size());
  if (!o.multi_label) {
    create({count});
  } else if (o.num_labels) {
    create({count, *o.num_labels});
  }
}

void AUC::create(const Shape& shape) {
  const auto add = [&](const char* name) { return add_variable(name, shape, 0.0, DType::float32); };
  *counts_ = {add("true_positives"), add("false_positives"), add("true_negatives"),
              add("false_negatives")};
}

Json AUC::get_config() const {
  Json json = ConfiguredMetric::get_config();
  // Keras writes thresholds only if they were given.
  if (!options().thresholds) json.erase("thresholds");
  return json;
}

void AUC::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const AUCOptions& o = options();
  if (!counts_->true_positives.defined()) {
    if (y_pred.rank() != 2) {
      throw ValueError(
          "`y_pred` must have rank 2 when `multi_label=True`. Found rank {}. Full shape received "
          "for `y_pred`: {}",
          y_pred.rank(), y_pred.shape());
    }
    create({static_cast<int64_t>(thresholds_.size()), y_pred.dim(1)});
  }
  const ConfusionCounts counts =
      count_confusion({.y_true = y_true,
                       .y_pred = o.from_logits ? ops::sigmoid(y_pred) : y_pred,
                       .sample_weight = sample_weight,
                       .thresholds = thresholds_,
                       .multi_label = o.multi_label,
                       .label_weights = o.multi_label ? Tensor() : label_weights_of(o)},
                      {.true_positives = true,
                       .false_positives = true,
                       .true_negatives = true,
                       .false_negatives = true});
  const auto accumulate = [](const Variable& total, const Tensor& count) {
    total.assign(total.value() + count);
  };
  accumulate(counts_->true_positives, counts.true_positives);
  accumulate(counts_->false_positives, counts.false_positives);
  accumulate(counts_->true_negatives, counts.true_negatives);
  accumulate(counts_->false_negatives, counts.false_negatives);
}

Tensor AUC::sum_areas(const Tensor& terms) const {
  if (!options().multi_label) return ops::sum(terms);
  const Tensor areas = ops::sum(terms, {0});
  const Tensor weights = label_weights_of(options());
  if (!weights.defined()) return ops::mean(areas);
  return ops::divide_no_nan(ops::sum(areas * weights), ops::sum(weights));
}

Tensor AUC::interpolated_precision_recall() const {
  const Tensor tp = counts_->true_positives.value();
  const Tensor fn = counts_->false_negatives.value();
  const Tensor p = tp + counts_->false_positives.value();
  // Between two thresholds true positives grow linearly with positives: tp = slope p + intercept.
  // The area under precision tp / p is then slope (dtp + intercept log(p_a / p_b)) / all true.
  const Tensor dtp = without_last(tp) - without_first(tp);
  const Tensor dp = without_last(p) - without_first(p);
  const Tensor slope = ops::divide_no_nan(dtp, ops::maximum(dp, 0.0));
  const Tensor intercept = without_first(tp) - slope * without_first(p);
  const Tensor both =
      ops::logical_and(ops::greater(without_last(p), 0.0), ops::greater(without_first(p), 0.0));
  const Tensor ratio = ops::where(
      both, ops::divide_no_nan(without_last(p), ops::maximum(without_first(p), 0.0)), 1.0);
  return sum_areas(ops::divide_no_nan(slope * (dtp + intercept * ops::log(ratio)),
                                      ops::maximum(without_first(tp) + without_first(fn), 0.0)));
}

Nest AUC::result() const {
  const AUCOptions& o = options();
  if (!counts_->true_positives.defined()) return Tensor::full(DType::float32, {}, 0.0);
  if (o.curve == "PR" && o.summation_method == "interpolation") {
    return interpolated_precision_recall();
  }
  const Tensor tp = counts_->true_positives.value();
  const Tensor fp = counts_->false_positives.value();
  const Tensor tn = counts_->true_negatives.value();
  const Tensor fn = counts_->false_negatives.value();
  Tensor x;
  Tensor y;
  if (o.curve == "ROC") {
    x = ops::divide_no_nan(fp, fp + tn);
    y = ops::divide_no_nan(tp, tp + fn);
  } else if (o.curve == "PR") {
    x = ops::divide_no_nan(tp, tp + fn);
    y = ops::divide_no_nan(tp, tp + fp);
  } else {
    // Precision and recall gains: Flach and Kull 2015. Without true positives, the recall gain is 0
    // and the precision gain 1. A negative recall gain counts as 0.
    const Tensor ratio = ops::divide_no_nan(tp + fn, tn + fp);
    const Tensor none = ops::equal(tp, 0.0);
    x = ops::maximum(ops::where(none, 0.0, 1.0 - ratio * ops::divide_no_nan(fn, tp)), 0.0);
    y = ops::where(none, 1.0, 1.0 - ratio * ops::divide_no_nan(fp, tp));
  }
  const Tensor left = without_last(y);
  const Tensor right = without_first(y);
  const Tensor heights = o.summation_method == "interpolation" ? (left + right) / 2.0
                         : o.summation_method == "minoring"    ? ops::minimum(left, right)
                                                               : ops::maximum(left, right);
  return sum_areas((without_last(x) - without_first(x)) * heights);
}

Metrics::Family auc_metrics() {
  static const MetricClass classes[] = {metric_class<AUC, AUCOptions>({"auc"})};
  return classes;
}

}  // namespace antler::metrics
