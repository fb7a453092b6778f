#include "antler/nn/metrics/hinge.h"

#include "antler/nn/losses/hinge.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

Hinge::Hinge(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("Hinge", "hinge", o, "down", losses::hinge)) {}

SquaredHinge::SquaredHinge(const MetricOptions& o)
    : MeanMetricWrapper(
          define<Definition>("SquaredHinge", "squared_hinge", o, "down", losses::squared_hinge)) {}

CategoricalHinge::CategoricalHinge(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("CategoricalHinge", "categorical_hinge", o, "down",
                                           losses::categorical_hinge)) {}

Metrics::Family hinge_metrics() {
  static const MetricClass classes[] = {
      metric_class<Hinge, MetricOptions>({"hinge"}),
      metric_class<SquaredHinge, MetricOptions>({"squared_hinge"}),
      metric_class<CategoricalHinge, MetricOptions>({"categorical_hinge"}),
  };
  return classes;
}

}  // namespace antler::metrics
