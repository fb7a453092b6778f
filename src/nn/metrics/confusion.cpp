#include "antler/nn/metrics/confusion.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/metrics/confusion_counts.h"
#include "nn/metrics/families.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

void write_field(Json& out, const Thresholds& value) {
  if (!value.given()) {
    out = nullptr;
  } else if (value.is_list()) {
    out = value.values();
  } else {
    out = value.values()[0];
  }
}

void read_field(const Json& in, Thresholds& value) {
  if (in.is_number()) {
    value = in.get<double>();
  } else if (in.is_array()) {
    value = in.get<std::vector<double>>();
  } else if (!in.is_null()) {
    throw TypeError("expected a number or a list of numbers");
  }
}

ConfusionMetric::ConfusionMetric(Setup setup, ConfusionKeeps keep)
    : ConfiguredMetric(std::move(setup.class_name), std::move(setup.name), setup.dtype,
                       *setup.config, std::move(setup.direction)),
      thresholds_(std::move(setup.thresholds)),
      top_k_(setup.top_k),
      class_id_(setup.class_id),
      keep_(keep) {
  const int count = static_cast<int>(keep.true_positives) + static_cast<int>(keep.false_positives) +
                    static_cast<int>(keep.true_negatives) + static_cast<int>(keep.false_negatives);
  const Shape shape{static_cast<int64_t>(thresholds_.size())};
  const auto add = [&](bool kept, Variable& variable, const char* name) {
    if (kept)
      variable = add_variable(count == 1 ? "accumulator" : name, shape, 0.0, DType::float32);
  };
  add(keep.true_positives, true_positives_, "true_positives");
  add(keep.false_positives, false_positives_, "false_positives");
  add(keep.true_negatives, true_negatives_, "true_negatives");
  add(keep.false_negatives, false_negatives_, "false_negatives");
}

void ConfusionMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                                   const Tensor& sample_weight) {
  const ConfusionCounts counts = count_confusion({.y_true = y_true,
                                                  .y_pred = y_pred,
                                                  .sample_weight = sample_weight,
                                                  .thresholds = thresholds_,
                                                  .top_k = top_k_,
                                                  .class_id = class_id_},
                                                 keep_);
  const auto accumulate = [](const Variable& total, const Tensor& count) {
    if (total.defined()) total.assign(total.value() + count);
  };
  accumulate(true_positives_, counts.true_positives);
  accumulate(false_positives_, counts.false_positives);
  accumulate(true_negatives_, counts.true_negatives);
  accumulate(false_negatives_, counts.false_negatives);
}

Tensor ConfusionMetric::recalls() const {
  return ops::divide_no_nan(true_positives_.value(),
                            true_positives_.value() + false_negatives_.value());
}

Tensor ConfusionMetric::precisions() const {
  return ops::divide_no_nan(true_positives_.value(),
                            true_positives_.value() + false_positives_.value());
}

Tensor ConfusionMetric::specificities() const {
  return ops::divide_no_nan(true_negatives_.value(),
                            true_negatives_.value() + false_positives_.value());
}

Tensor ConfusionMetric::per_threshold(const Tensor& values) const {
  return thresholds_.size() == 1 ? ops::reshape(values, Shape()) : values;
}

template <class V>
void fields(V& v, ConfusionCountOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("thresholds", o.thresholds);
}

template <class V>
void fields(V& v, PrecisionOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("thresholds", o.thresholds);
  v("top_k", o.top_k);
  v("class_id", o.class_id);
}

namespace {

std::vector<double> thresholds_or(const Thresholds& given, double otherwise) {
  if (!given.given()) return {otherwise};
  check_thresholds(given.values());
  return given.values();
}

/// The setup for the base class of these metrics. `Setup` is ConfusionMetric's protected struct.
template <class Setup, class Options>
Setup confusion_setup(const char* class_name, const Options& o, const char* direction,
                      std::vector<double> thresholds) {
  Setup setup;
  setup.class_name = class_name;
  setup.name = unique_name_or(o.name, class_name);
  setup.dtype = o.dtype;
  setup.config = std::make_shared<const Json>(config::write(o));
  setup.direction = direction;
  setup.thresholds = std::move(thresholds);
  return setup;
}

template <class Setup>
Setup count_setup(const char* class_name, const ConfusionCountOptions& o) {
  return confusion_setup<Setup>(class_name, o, "", thresholds_or(o.thresholds, 0.5));
}

template <class Setup>
Setup precision_setup(const char* class_name, const PrecisionOptions& o) {
  Setup setup = confusion_setup<Setup>(
      class_name, o, "up", thresholds_or(o.thresholds, o.top_k ? kNegativeInfinity : 0.5));
  setup.top_k = o.top_k;
  setup.class_id = o.class_id;
  return setup;
}

}  // namespace

TruePositives::TruePositives(const ConfusionCountOptions& o)
    : MetricOf(o, count_setup<Setup>("TruePositives", o), ConfusionKeeps{.true_positives = true}) {}
Nest TruePositives::result() const { return per_threshold(true_positives_.value()); }

FalsePositives::FalsePositives(const ConfusionCountOptions& o)
    : MetricOf(o, count_setup<Setup>("FalsePositives", o),
               ConfusionKeeps{.false_positives = true}) {}
Nest FalsePositives::result() const { return per_threshold(false_positives_.value()); }

TrueNegatives::TrueNegatives(const ConfusionCountOptions& o)
    : MetricOf(o, count_setup<Setup>("TrueNegatives", o), ConfusionKeeps{.true_negatives = true}) {}
Nest TrueNegatives::result() const { return per_threshold(true_negatives_.value()); }

FalseNegatives::FalseNegatives(const ConfusionCountOptions& o)
    : MetricOf(o, count_setup<Setup>("FalseNegatives", o),
               ConfusionKeeps{.false_negatives = true}) {}
Nest FalseNegatives::result() const { return per_threshold(false_negatives_.value()); }

Precision::Precision(const PrecisionOptions& o)
    : MetricOf(o, precision_setup<Setup>("Precision", o),
               ConfusionKeeps{.true_positives = true, .false_positives = true}) {}
Nest Precision::result() const { return per_threshold(precisions()); }

Recall::Recall(const PrecisionOptions& o)
    : MetricOf(o, precision_setup<Setup>("Recall", o),
               ConfusionKeeps{.true_positives = true, .false_negatives = true}) {}
Nest Recall::result() const { return per_threshold(recalls()); }

Metrics::Family confusion_metrics() {
  static const MetricClass classes[] = {
      metric_class<TruePositives, ConfusionCountOptions>({"true_positives"}),
      metric_class<FalsePositives, ConfusionCountOptions>({"false_positives"}),
      metric_class<TrueNegatives, ConfusionCountOptions>({"true_negatives"}),
      metric_class<FalseNegatives, ConfusionCountOptions>({"false_negatives"}),
      metric_class<Precision, PrecisionOptions>({"precision"}),
      metric_class<Recall, PrecisionOptions>({"recall"}),
  };
  return classes;
}

}  // namespace antler::metrics
