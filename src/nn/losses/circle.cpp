#include "antler/nn/losses/metric_learning.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// Stands for -infinity where a sample has no partner: gradients stay finite.
constexpr double kNoPartner = -1e30;

Tensor column(const Tensor& labels) {
  return ops::reshape(ops::cast(labels, DType::int32), Shape{-1, 1});
}

}  // namespace

Tensor circle(const Tensor& y_true, const Tensor& y_pred, const Tensor& ref_labels,
              const Tensor& ref_embeddings, bool remove_diagonal, double gamma, double margin) {
  const Tensor embeddings = to_floating(y_pred);
  const DType dtype = embeddings.dtype();
  const Tensor distance =
      ops::maximum(1.0 - ops::matmul(embeddings, ops::transpose(to_floating(ref_embeddings))), 0.0);
  const Tensor same = ops::equal(column(y_true), ops::transpose(column(ref_labels)));
  Tensor positive = same;
  if (remove_diagonal) {
    const Tensor diagonal = ops::equal(ops::iota(same.shape(), 0), ops::iota(same.shape(), 1));
    positive = ops::logical_and(same, ops::logical_not(diagonal));
  }
  // Weights grow with the distance from the optimum: margin for positives, 1 + margin for others.
  const auto weight = [&](const Tensor& w, const Tensor& pairs) {
    return ops::maximum(w * ops::cast(pairs, dtype), 0.0);
  };
  const Tensor negative = ops::logical_not(same);
  const Tensor pull = -gamma * weight(margin + distance, positive) * (margin - distance);
  const Tensor push = gamma * weight(1.0 + margin - distance, negative) * (1.0 - margin - distance);
  const Tensor none = Tensor::full(dtype, {}, kNoPartner);
  return ops::softplus(ops::logsumexp(ops::where(positive, pull, none), {1}) +
                       ops::logsumexp(ops::where(negative, push, none), {1}));
}

Tensor circle(const Tensor& y_true, const Tensor& y_pred, bool remove_diagonal, double gamma,
              double margin) {
  return circle(y_true, y_pred, y_true, y_pred, remove_diagonal, gamma, margin);
}

template <class V>
void fields(V& v, CircleOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("gamma", o.gamma);
  v("margin", o.margin);
  v("remove_diagonal", o.remove_diagonal);
}

Circle::Circle(const CircleOptions& options)
    : Loss([&options] {
        const auto values = [o = options](const Tensor& y_true, const Tensor& y_pred) {
          return circle(y_true, y_pred, o.remove_diagonal, o.gamma, o.margin);
        };
        return make_loss({"Circle", "circle"}, base_options(options), config::write(options),
                         values, [values](const Tensor& y_true, const Tensor& y_pred) {
                           return ops::greater(values(y_true, y_pred), 0.0);
                         });
      }()) {}

Losses::Family metric_learning_losses() {
  static const LossClass classes[] = {loss_class<Circle, CircleOptions>({"circle"})};
  return classes;
}

}  // namespace antler::losses
