#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/metrics/confusion.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/metrics/families.h"
#include "nn/metrics/support.h"

/// Metrics that find the best threshold under a condition.
namespace antler::metrics {

namespace {

std::vector<double> even_thresholds(int64_t count) {
  if (count <= 0) {
    throw ValueError(
        "Argument `num_thresholds` must be an integer > 0. Received: num_thresholds={}", count);
  }
  if (count == 1) return {0.5};
  std::vector<double> thresholds;
  for (int64_t i = 0; i < count; ++i) {
    thresholds.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return thresholds;
}

/// The largest element of `dependent` where `constrained` is at least `value`; 0 if there is none.
Tensor best_under(const Tensor& constrained, double value, const Tensor& dependent) {
  return ops::max(ops::where(ops::greater_equal(constrained, value), dependent, 0.0));
}

void check_share(const char* argument, double value) {
  if (!(value >= 0 && value <= 1)) {
    throw ValueError("Argument `{}` must be in the range [0, 1]. Received: {}={}", argument,
                     argument, value);
  }
}

constexpr ConfusionKeeps kAllCounts{.true_positives = true,
                                    .false_positives = true,
                                    .true_negatives = true,
                                    .false_negatives = true};

template <class V, class O>
void condition_fields(V& v, O& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("class_id", o.class_id);
  v("num_thresholds", o.num_thresholds);
}

template <class Setup, class Options>
Setup condition_setup(const char* class_name, const Options& o, const char* argument,
                      double value) {
  check_share(argument, value);
  Setup setup;
  setup.class_name = class_name;
  setup.name = unique_name_or(o.name, class_name);
  setup.dtype = o.dtype;
  setup.config = std::make_shared<const Json>(config::write(o));
  setup.direction = "up";
  setup.thresholds = even_thresholds(o.num_thresholds);
  setup.class_id = o.class_id;
  return setup;
}

}  // namespace

template <class V>
void fields(V& v, SensitivityAtSpecificityOptions& o) {
  condition_fields(v, o);
  v.required("specificity", o.specificity);
}
template <class V>
void fields(V& v, SpecificityAtSensitivityOptions& o) {
  condition_fields(v, o);
  v.required("sensitivity", o.sensitivity);
}
template <class V>
void fields(V& v, PrecisionAtRecallOptions& o) {
  condition_fields(v, o);
  v.required("recall", o.recall);
}
template <class V>
void fields(V& v, RecallAtPrecisionOptions& o) {
  condition_fields(v, o);
  v.required("precision", o.precision);
}

SensitivityAtSpecificity::SensitivityAtSpecificity(double specificity,
                                                   SensitivityAtSpecificityOptions o)
    : SensitivityAtSpecificity(by_position<&SensitivityAtSpecificityOptions::specificity>(
          "SensitivityAtSpecificity", std::move(o), specificity)) {}
SensitivityAtSpecificity::SensitivityAtSpecificity(const SensitivityAtSpecificityOptions& o)
    : MetricOf(o,
               condition_setup<Setup>("SensitivityAtSpecificity", o, "specificity", o.specificity),
               kAllCounts) {}
Nest SensitivityAtSpecificity::result() const {
  return best_under(specificities(), options().specificity, recalls());
}

SpecificityAtSensitivity::SpecificityAtSensitivity(double sensitivity,
                                                   SpecificityAtSensitivityOptions o)
    : SpecificityAtSensitivity(by_position<&SpecificityAtSensitivityOptions::sensitivity>(
          "SpecificityAtSensitivity", std::move(o), sensitivity)) {}
SpecificityAtSensitivity::SpecificityAtSensitivity(const SpecificityAtSensitivityOptions& o)
    : MetricOf(o,
               condition_setup<Setup>("SpecificityAtSensitivity", o, "sensitivity", o.sensitivity),
               kAllCounts) {}
Nest SpecificityAtSensitivity::result() const {
  return best_under(recalls(), options().sensitivity, specificities());
}

PrecisionAtRecall::PrecisionAtRecall(double recall, PrecisionAtRecallOptions o)
    : PrecisionAtRecall(by_position<&PrecisionAtRecallOptions::recall>("PrecisionAtRecall",
                                                                       std::move(o), recall)) {}
PrecisionAtRecall::PrecisionAtRecall(const PrecisionAtRecallOptions& o)
    : MetricOf(o, condition_setup<Setup>("PrecisionAtRecall", o, "recall", o.recall), kAllCounts) {}
Nest PrecisionAtRecall::result() const {
  return best_under(recalls(), options().recall, precisions());
}

RecallAtPrecision::RecallAtPrecision(double precision, RecallAtPrecisionOptions o)
    : RecallAtPrecision(by_position<&RecallAtPrecisionOptions::precision>(
          "RecallAtPrecision", std::move(o), precision)) {}
RecallAtPrecision::RecallAtPrecision(const RecallAtPrecisionOptions& o)
    : MetricOf(o, condition_setup<Setup>("RecallAtPrecision", o, "precision", o.precision),
               kAllCounts) {}
Nest RecallAtPrecision::result() const {
  return best_under(precisions(), options().precision, recalls());
}

Metrics::Family condition_metrics() {
  static const MetricClass classes[] = {
      metric_class<SensitivityAtSpecificity, SensitivityAtSpecificityOptions>({}),
      metric_class<SpecificityAtSensitivity, SpecificityAtSensitivityOptions>({}),
      metric_class<PrecisionAtRecall, PrecisionAtRecallOptions>({}),
      metric_class<RecallAtPrecision, RecallAtPrecisionOptions>({}),
  };
  return classes;
}

}  // namespace antler::metrics
