#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/nn/metric.h"
#include "nn/config_fields.h"
#include "nn/metrics/definition.h"

namespace antler {

template <class V>
void fields(V& v, MetricOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
}

}  // namespace antler

/// What the files of the metrics show the list. Every family ends with one span of entries;
/// metric_list.cpp joins the spans.
namespace antler::metrics {

struct MetricEntry {
  std::string_view class_name;
  /// Function name, then aliases; empty texts fill up.
  std::array<std::string_view, 6> names;
  MetricPtr (*make)(const Json& config);
  /// The function of the first name, where it has no parameters of its own.
  Tensor (*function)(const Tensor& y_true, const Tensor& y_pred) = nullptr;
};
using MetricSpan = std::span<const MetricEntry>;

/// Makes a metric of class M from its configuration.
template <class M, class Options>
MetricPtr from_config(const Json& config) {
  return std::make_shared<M>(config::read<Options>(config));
}

/// Keras's name of one of the library's functions of two tensors, losses among them; empty for
/// others.
std::string function_name(const Function& function);

MetricSpan reduction_metrics();
MetricSpan accuracy_metrics();
MetricSpan regression_metrics();
MetricSpan probabilistic_metrics();
MetricSpan hinge_metrics();
MetricSpan correlation_metrics();
MetricSpan confusion_metrics();
MetricSpan condition_metrics();
MetricSpan auc_metrics();
MetricSpan f_score_metrics();
MetricSpan iou_metrics();
MetricSpan tensor_metrics();

}  // namespace antler::metrics
