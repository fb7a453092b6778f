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

MetricSpan hinge_metrics() {
  static const MetricEntry entries[] = {
      {"Hinge", {"hinge"}, from_config<Hinge, MetricOptions>},
      {"SquaredHinge", {"squared_hinge"}, from_config<SquaredHinge, MetricOptions>},
      {"CategoricalHinge", {"categorical_hinge"}, from_config<CategoricalHinge, MetricOptions>},
  };
  return entries;
}

}  // namespace antler::metrics
