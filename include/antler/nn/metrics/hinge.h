#pragma once

#include "antler/nn/metrics/reduction.h"

/// Means of the losses of the same names (nn/losses/hinge.h).
namespace antler::metrics {

struct Hinge : MeanMetricWrapper {
  explicit Hinge(const MetricOptions& options = {});
  explicit Hinge(const char* name) : Hinge(MetricOptions{.name = name}) {}
};
struct SquaredHinge : MeanMetricWrapper {
  explicit SquaredHinge(const MetricOptions& options = {});
  explicit SquaredHinge(const char* name) : SquaredHinge(MetricOptions{.name = name}) {}
};
struct CategoricalHinge : MeanMetricWrapper {
  explicit CategoricalHinge(const MetricOptions& options = {});
  explicit CategoricalHinge(const char* name) : CategoricalHinge(MetricOptions{.name = name}) {}
};

}  // namespace antler::metrics
