#pragma once

#include "antler/nn/metrics/reduction.h"

/// Means of the losses of the same names (nn/losses/hinge.h).
namespace antler::metrics {

struct Hinge : MeanMetricWrapper {
  explicit Hinge(const MetricOptions& options = {});
  template <StringLike S>
  explicit Hinge(const S& name) : Hinge(MetricOptions{.name = name}) {}
};
struct SquaredHinge : MeanMetricWrapper {
  explicit SquaredHinge(const MetricOptions& options = {});
  template <StringLike S>
  explicit SquaredHinge(const S& name) : SquaredHinge(MetricOptions{.name = name}) {}
};
struct CategoricalHinge : MeanMetricWrapper {
  explicit CategoricalHinge(const MetricOptions& options = {});
  template <StringLike S>
  explicit CategoricalHinge(const S& name) : CategoricalHinge(MetricOptions{.name = name}) {}
};

}  // namespace antler::metrics
