#pragma once

#include "antler/core/keyword.h"
#include "antler/nn/metrics/reduction.h"

/// Means of the losses of the same names (nn/losses/hinge.h).
namespace antler::metrics {

/// The mean of hinge() over all samples.
struct Hinge : MeanMetricWrapper {
  explicit Hinge(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Hinge, MetricOptions)
  template <StringLike S>
  explicit Hinge(const S& name) : Hinge(MetricOptions{.name = name}) {}
};
/// The mean of squared_hinge() over all samples.
struct SquaredHinge : MeanMetricWrapper {
  explicit SquaredHinge(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SquaredHinge, MetricOptions)
  template <StringLike S>
  explicit SquaredHinge(const S& name) : SquaredHinge(MetricOptions{.name = name}) {}
};
/// The mean of categorical_hinge() over all samples.
struct CategoricalHinge : MeanMetricWrapper {
  explicit CategoricalHinge(const MetricOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalHinge, MetricOptions)
  template <StringLike S>
  explicit CategoricalHinge(const S& name) : CategoricalHinge(MetricOptions{.name = name}) {}
};

}  // namespace antler::metrics
