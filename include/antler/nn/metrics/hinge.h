#pragma once

#include "antler/nn/metrics/reduction.h"

/// Means of the losses of the same names (nn/losses/hinge.h).
namespace antler::metrics {

struct Hinge : MeanMetricWrapper {
  explicit Hinge(const MetricOptions& options = {});
};
struct SquaredHinge : MeanMetricWrapper {
  explicit SquaredHinge(const MetricOptions& options = {});
};
struct CategoricalHinge : MeanMetricWrapper {
  explicit CategoricalHinge(const MetricOptions& options = {});
};

}  // namespace antler::metrics
