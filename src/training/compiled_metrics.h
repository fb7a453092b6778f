#pragma once

#include <string>
#include <vector>

#include "antler/nn/compile_types.h"

namespace antler::training {

/// Converts `{{"out_a", "mae"}, {"out_b", {"accuracy", "auc"}}}`, which in C++ is a list of lists,
/// to a dictionary by output: if every entry is a pair whose first element is a string that does
/// not name a metric, and one of these strings names an output. Any other spec is returned
/// unchanged.
MetricSpec dictionary_in_braces(const MetricSpec& spec, const std::vector<std::string>& names);

/// The metrics given to compile(), resolved by output and by the shapes of the first batch (Keras
/// 2's MetricsContainer).
class CompiledMetrics {
 public:
  CompiledMetrics(MetricSpec metrics, MetricSpec weighted)
      : unweighted_(std::move(metrics)), weighted_(std::move(weighted)) {}

  void update(const std::vector<std::string>& output_names, const Tensors& y_true,
              const Tensors& y_pred, const Tensors& sample_weight);
  /// In log order: output by output, unweighted before weighted. Empty before the first update.
  const std::vector<MetricPtr>& all() const { return all_; }
  /// Throws ValueError if a metric object was given twice.
  void check_unique() const;
  /// Metrics given as objects.
  std::vector<const Metric*> given() const;

 private:
  struct Output {
    std::vector<MetricPtr> unweighted;
    std::vector<MetricPtr> weighted;
  };
  void build(const std::vector<std::string>& output_names, const Tensors& y_true,
             const Tensors& y_pred);

  MetricSpec unweighted_;
  MetricSpec weighted_;
  bool built_ = false;
  std::vector<Output> outputs_;
  std::vector<MetricPtr> all_;
};

}  // namespace antler::training
