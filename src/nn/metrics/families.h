#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/nn/metric.h"
#include "base/type_name.h"
#include "nn/config_fields.h"
#include "nn/metrics/definition.h"
#include "nn/object_registry.h"

namespace antler {

template <class V>
void fields(V& v, MetricOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
}

}  // namespace antler

/// The classes of the metrics. Each source file ends with its family; metric_list.cpp joins the
/// families.
namespace antler::metrics {

struct MetricClass : ObjectClass<MetricPtr> {
  /// The function with the first alias as its name, if it has no parameters of its own.
  Tensor (*function)(const Tensor& y_true, const Tensor& y_pred) = nullptr;
};
using Metrics = Registry<MetricPtr, MetricClass>;

template <class M, class Options>
MetricPtr from_config(const Json& config) {
  return std::make_shared<M>(config::read<Options>(config));
}

/// A metric of class M, made from `Options`. `aliases` are Keras's names of its function.
template <class M, class Options>
MetricClass metric_class(const std::array<std::string_view, 6>& aliases,
                         decltype(MetricClass::function) function = nullptr) {
  return {{type_name<M>(), from_config<M, Options>, aliases}, function};
}

/// Keras's name of a function of the library with two tensors (metrics and losses); empty for other
/// functions.
std::string function_name(const Function& function);

Metrics::Family reduction_metrics();
Metrics::Family accuracy_metrics();
Metrics::Family regression_metrics();
Metrics::Family probabilistic_metrics();
Metrics::Family hinge_metrics();
Metrics::Family correlation_metrics();
Metrics::Family confusion_metrics();
Metrics::Family condition_metrics();
Metrics::Family auc_metrics();
Metrics::Family f_score_metrics();
Metrics::Family iou_metrics();
Metrics::Family tensor_metrics();

}  // namespace antler::metrics
