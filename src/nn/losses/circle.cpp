#include "antler/base/error.h"
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

/// Replaces -infinity where a sample has no partner, so that gradients stay finite.
constexpr double kNoPartner = -1e30;

Tensor column(const Tensor& labels) {
  return ops::reshape(ops::cast(labels, DType::int32), Shape{-1, 1});
}

}  // namespace

Tensor circle(const Tensor& y_true, const Tensor& y_pred, const CircleArguments& o) {
  if (o.ref_labels.defined() != o.ref_embeddings.defined()) {
    throw ValueError("losses::circle: `ref_labels` and `ref_embeddings` must be given together.");
  }
  const Tensor& ref_labels = o.ref_labels.defined() ? o.ref_labels : y_true;
  const Tensor& ref_embeddings = o.ref_embeddings.defined() ? o.ref_embeddings : y_pred;
  const Tensor embeddings = to_floating(y_pred);
  const DType dtype = embeddings.dtype();
  const Tensor distance =
      ops::maximum(1.0 - ops::matmul(embeddings, ops::transpose(to_floating(ref_embeddings))), 0.0);
  const Tensor same = ops::equal(column(y_true), ops::transpose(column(ref_labels)));
  Tensor positive = same;
  if (o.remove_diagonal) {
    const Tensor diagonal = ops::equal(ops::iota(same.shape(), 0), ops::iota(same.shape(), 1));
    positive = ops::logical_and(same, ops::logical_not(diagonal));
  }
  // Weights grow with the distance from the optimum, which is margin for positives and 1 + margin
  // for the others.
  const auto weight = [&](const Tensor& w, const Tensor& pairs) {
    return ops::maximum(w * ops::cast(pairs, dtype), 0.0);
  };
  const Tensor negative = ops::logical_not(same);
  const Tensor pull = -o.gamma * weight(o.margin + distance, positive) * (o.margin - distance);
  const Tensor push =
      o.gamma * weight(1.0 + o.margin - distance, negative) * (1.0 - o.margin - distance);
  const Tensor none = Tensor::full(dtype, {}, kNoPartner);
  return ops::softplus(ops::logsumexp(ops::where(positive, pull, none), {1}) +
                       ops::logsumexp(ops::where(negative, push, none), {1}));
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
          return circle(
              y_true, y_pred,
              {.remove_diagonal = o.remove_diagonal, .gamma = o.gamma, .margin = o.margin});
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
