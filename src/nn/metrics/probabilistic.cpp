#include "antler/nn/metrics/probabilistic.h"

#include <utility>

#include "antler/nn/losses/probabilistic.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/metrics/families.h"

namespace antler::metrics {

KLDivergence::KLDivergence(const MetricOptions& o)
    : MeanMetricWrapper(
          define<Definition>("KLDivergence", "kl_divergence", o, "down", losses::kl_divergence)) {}

Poisson::Poisson(const MetricOptions& o)
    : MeanMetricWrapper(define<Definition>("Poisson", "poisson", o, "down", losses::poisson)) {}

template <class V>
void fields(V& v, BinaryCrossentropyOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("from_logits", o.from_logits);
  v("label_smoothing", o.label_smoothing);
}

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& o)
    : MeanMetricWrapper(define<Definition>("BinaryCrossentropy", "binary_crossentropy", o, "down",
                                           [o](const Tensor& y_true, const Tensor& y_pred) {
                                             return losses::binary_crossentropy(
                                                 y_true, y_pred,
                                                 {.from_logits = o.from_logits,
                                                  .label_smoothing = o.label_smoothing});
                                           })) {}

template <class V>
void fields(V& v, CategoricalCrossentropyOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("from_logits", o.from_logits);
  v("label_smoothing", o.label_smoothing);
  v("axis", o.axis);
}

CategoricalCrossentropy::CategoricalCrossentropy(const CategoricalCrossentropyOptions& o)
    : MeanMetricWrapper(define<Definition>("CategoricalCrossentropy", "categorical_crossentropy", o,
                                           "down", [o](const Tensor& y_true, const Tensor& y_pred) {
                                             return losses::categorical_crossentropy(
                                                 y_true, y_pred,
                                                 {.from_logits = o.from_logits,
                                                  .label_smoothing = o.label_smoothing,
                                                  .axis = o.axis});
                                           })) {}

template <class V>
void fields(V& v, SparseCategoricalCrossentropyOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("from_logits", o.from_logits);
  v("ignore_class", o.ignore_class);
  v("axis", o.axis);
}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyOptions& o)
    : MeanMetricWrapper([&o] {
        auto definition = define<Definition>(
            "SparseCategoricalCrossentropy", "sparse_categorical_crossentropy", o, "down",
            [o](const Tensor& y_true, const Tensor& y_pred) {
              return losses::sparse_categorical_crossentropy(
                  y_true, y_pred,
                  {.from_logits = o.from_logits, .ignore_class = o.ignore_class, .axis = o.axis});
            });
        if (o.ignore_class) {
          definition.mask = [ignored = *o.ignore_class](const Tensor& y_true,
                                                        const Tensor& y_pred) {
            const bool extra = y_true.rank() == y_pred.rank() && y_true.dim(-1) == 1;
            return ops::not_equal(extra ? ops::squeeze(y_true, -1) : y_true, ignored);
          };
        }
        return definition;
      }()) {}

Metrics::Family probabilistic_metrics() {
  static const MetricClass classes[] = {
      metric_class<BinaryCrossentropy, BinaryCrossentropyOptions>(
          {"binary_crossentropy", "bce", "BCE"}),
      metric_class<CategoricalCrossentropy, CategoricalCrossentropyOptions>(
          {"categorical_crossentropy"}),
      metric_class<SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions>(
          {"sparse_categorical_crossentropy"}),
      metric_class<KLDivergence, MetricOptions>(
          {"kl_divergence", "kullback_leibler_divergence", "kld", "KLD"}),
      metric_class<Poisson, MetricOptions>({"poisson"}),
  };
  return classes;
}

}  // namespace antler::metrics
