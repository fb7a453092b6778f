#include "antler/nn/losses/probabilistic.h"

#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/cached_logits.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"

namespace antler::losses {

namespace {

/// Class indices without a trailing axis of size 1.
Tensor class_indices(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() == y_pred.rank() && y_true.dim(-1) == 1) return ops::squeeze(y_true, -1);
  return y_true;
}

void check_smoothing(double label_smoothing) {
  if (label_smoothing >= 0 && label_smoothing <= 1) return;
  throw ValueError(
      "Invalid value for argument `label_smoothing`. Expected a value in [0, 1]. Received: "
      "label_smoothing={}",
      label_smoothing);
}

/// The input of a cross-entropy: the cached logits of a softmax or sigmoid, regardless of the
/// loss's `from_logits`; without cached logits, the predictions.
struct Prediction {
  Tensor value;
  bool from_logits;
};

Prediction prediction_of(const Tensor& y_pred, bool from_logits) {
  const Tensor logits = cached_logits(y_pred);
  return logits.defined() ? Prediction{logits, true} : Prediction{y_pred, from_logits};
}

Tensor class_weights(const ClassWeights& alpha, DType dtype, int rank, int64_t axis,
                     int64_t classes) {
  const std::vector<double>& values = alpha.values();
  if (values.size() == 1) return values[0];
  if (static_cast<int64_t>(values.size()) != classes) {
    throw ValueError(
        "`alpha` must be one number or one per class. Received: {} numbers for {} classes.",
        values.size(), classes);
  }
  Shape shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
  shape[normalize_axis(axis, rank, "axis")] = classes;
  return ops::cast(Tensor::of(values, shape), dtype);
}

}  // namespace

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           const CrossentropyArguments& o) {
  const Targets t = prepare(y_true, y_pred);
  const Prediction p = prediction_of(t.y_pred, o.from_logits);
  return ops::mean(ops::binary_crossentropy(smooth(t.y_true, o.label_smoothing, 2), p.value,
                                            {.from_logits = p.from_logits}),
                   {o.axis});
}

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                const CrossentropyArguments& o) {
  const Targets t = prepare(y_true, y_pred);
  if (t.y_true.shape() != t.y_pred.shape()) {
    throw ValueError(
        "categorical_crossentropy: targets and predictions must have the same shape (integer "
        "targets go with sparse_categorical_crossentropy). Received: y_true.shape={}, "
        "y_pred.shape={}.",
        y_true.shape(), y_pred.shape());
  }
  const auto classes = static_cast<double>(t.y_pred.dim(-1));  // as in Keras, regardless of `axis`
  const Prediction p = prediction_of(t.y_pred, o.from_logits);
  return ops::categorical_crossentropy(smooth(t.y_true, o.label_smoothing, classes), p.value,
                                       {.from_logits = p.from_logits, .axis = o.axis});
}

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       const SparseCrossentropyArguments& o) {
  const Tensor prediction = to_floating(y_pred);
  Tensor target = class_indices(y_true, prediction);
  if (target.rank() > 0 && target.shape() == prediction.shape()) {
    throw ValueError(
        "sparse_categorical_crossentropy: targets must be class indices whose rank is one less "
        "than that of the predictions (one-hot targets go with categorical_crossentropy). "
        "Received: y_true.shape={}, y_pred.shape={}.",
        y_true.shape(), y_pred.shape());
  }
  if (!is_integer(target.dtype())) target = ops::cast(target, DType::int32);
  const Prediction p = prediction_of(prediction, o.from_logits);
  if (!o.ignore_class) {
    return ops::sparse_categorical_crossentropy(target, p.value,
                                                {.from_logits = p.from_logits, .axis = o.axis});
  }
  // An ignored target may be out of range. It is replaced by 0, and its loss is dropped below.
  const Tensor valid = ops::not_equal(target, *o.ignore_class);
  const Tensor values =
      ops::sparse_categorical_crossentropy(ops::where(valid, target, ops::zeros_like(target)),
                                           p.value, {.from_logits = p.from_logits, .axis = o.axis});
  return ops::where(valid, values, ops::zeros_like(values));
}

Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 const BinaryFocalCrossentropyArguments& o) {
  Targets t = prepare(y_true, y_pred);
  t.y_true = smooth(t.y_true, o.label_smoothing, 2);
  if (o.from_logits) t.y_pred = with_cached_logits(ops::sigmoid(t.y_pred), t.y_pred);
  const Tensor p_t = t.y_true * t.y_pred + (1.0 - t.y_true) * (1.0 - t.y_pred);
  const Prediction p = prediction_of(t.y_pred, false);
  Tensor value = ops::power(1.0 - p_t, o.gamma) *
                 ops::binary_crossentropy(t.y_true, p.value, {.from_logits = p.from_logits});
  if (o.apply_class_balancing)
    value = value * (t.y_true * o.alpha + (1.0 - t.y_true) * (1.0 - o.alpha));
  return ops::mean(value, {o.axis});
}

Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      const CategoricalFocalCrossentropyArguments& o) {
  Targets t = same_dtype(y_true, y_pred);
  const int64_t classes = t.y_pred.dim(static_cast<int>(o.axis));
  // As in Keras, regardless of `axis`.
  t.y_true = smooth(t.y_true, o.label_smoothing, static_cast<double>(t.y_pred.dim(-1)));
  if (o.from_logits) t.y_pred = ops::softmax(t.y_pred, o.axis);
  const Tensor normal = t.y_pred / ops::sum(t.y_pred, {o.axis}, {.keepdims = true});
  const Tensor p = ops::clip(normal, kEpsilon, 1.0 - kEpsilon);
  const Tensor weight =
      ops::power(1.0 - p, o.gamma) * class_weights(o.alpha, p.dtype(), p.rank(), o.axis, classes);
  return ops::sum(weight * (-t.y_true * ops::log(p)), {o.axis});
}

Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, double q) {
  const Tensor prediction = to_floating(y_pred);
  // As in Keras, targets of shape [batch, 1] keep it: each is compared with every prediction.
  const Tensor target = ops::cast(y_true, DType::int32);
  const Tensor one_hot = ops::one_hot(target, prediction.dim(-1), {.dtype = prediction.dtype()});
  const Tensor p = ops::clip(prediction, kEpsilon, 1.0 - kEpsilon);
  return (1.0 - ops::power(ops::sum(one_hot * p, {-1}), q)) / q;
}

Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = same_dtype(y_true, y_pred);
  const Tensor target = ops::clip(t.y_true, kEpsilon, 1.0);
  const Tensor prediction = ops::clip(t.y_pred, kEpsilon, 1.0);
  return ops::sum(target * ops::log(target / prediction), {-1});
}

Tensor poisson(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = same_dtype(y_true, y_pred);
  return ops::mean(t.y_pred - t.y_true * ops::log(t.y_pred + kEpsilon), {-1});
}

void write_field(Json& out, const ClassWeights& weights) {
  if (weights.values().size() == 1) {
    out = weights.values()[0];
  } else {
    out = weights.values();
  }
}

void read_field(const Json& in, ClassWeights& weights) {
  if (in.is_array()) {
    std::vector<double> values;
    for (const Json& value : in) antler::read_field(value, values.emplace_back());
    weights = values;
  } else {
    double value = 0;
    antler::read_field(in, value);
    weights = value;
  }
}

template <class V, class O>
void crossentropy_fields(V& v, O& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("from_logits", o.from_logits);
  v("label_smoothing", o.label_smoothing);
  v("axis", o.axis);
}

template <class V>
void fields(V& v, BinaryCrossentropyOptions& o) {
  crossentropy_fields(v, o);
}

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& o)
    : Loss(make_loss({"BinaryCrossentropy", "binary_crossentropy"}, base_options(o),
                     config::write(o), [o](const Tensor& y_true, const Tensor& y_pred) {
                       return binary_crossentropy(y_true, y_pred,
                                                  {.from_logits = o.from_logits,
                                                   .label_smoothing = o.label_smoothing,
                                                   .axis = o.axis});
                     })) {
  check_smoothing(o.label_smoothing);
}

template <class V>
void fields(V& v, BinaryFocalCrossentropyOptions& o) {
  crossentropy_fields(v, o);
  v("apply_class_balancing", o.apply_class_balancing);
  v("alpha", o.alpha);
  v("gamma", o.gamma);
}

BinaryFocalCrossentropy::BinaryFocalCrossentropy(const BinaryFocalCrossentropyOptions& o)
    : Loss(make_loss({"BinaryFocalCrossentropy", "binary_focal_crossentropy"}, base_options(o),
                     config::write(o), [o](const Tensor& y_true, const Tensor& y_pred) {
                       return binary_focal_crossentropy(
                           y_true, y_pred,
                           {.apply_class_balancing = o.apply_class_balancing,
                            .alpha = o.alpha,
                            .gamma = o.gamma,
                            .from_logits = o.from_logits,
                            .label_smoothing = o.label_smoothing,
                            .axis = o.axis});
                     })) {
  check_smoothing(o.label_smoothing);
}

template <class V>
void fields(V& v, CategoricalCrossentropyOptions& o) {
  crossentropy_fields(v, o);
}

CategoricalCrossentropy::CategoricalCrossentropy(const CategoricalCrossentropyOptions& o)
    : Loss(make_loss({"CategoricalCrossentropy", "categorical_crossentropy"}, base_options(o),
                     config::write(o), [o](const Tensor& y_true, const Tensor& y_pred) {
                       return categorical_crossentropy(y_true, y_pred,
                                                       {.from_logits = o.from_logits,
                                                        .label_smoothing = o.label_smoothing,
                                                        .axis = o.axis});
                     })) {
  check_smoothing(o.label_smoothing);
}

template <class V>
void fields(V& v, CategoricalFocalCrossentropyOptions& o) {
  crossentropy_fields(v, o);
  v("alpha", o.alpha);
  v("gamma", o.gamma);
}

CategoricalFocalCrossentropy::CategoricalFocalCrossentropy(
    const CategoricalFocalCrossentropyOptions& o)
    : Loss(make_loss({"CategoricalFocalCrossentropy", "categorical_focal_crossentropy"},
                     base_options(o), config::write(o),
                     [o](const Tensor& y_true, const Tensor& y_pred) {
                       return categorical_focal_crossentropy(y_true, y_pred,
                                                             {.alpha = o.alpha,
                                                              .gamma = o.gamma,
                                                              .from_logits = o.from_logits,
                                                              .label_smoothing = o.label_smoothing,
                                                              .axis = o.axis});
                     })) {
  check_smoothing(o.label_smoothing);
}

template <class V>
void fields(V& v, SparseCategoricalCrossentropyOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("from_logits", o.from_logits);
  v("ignore_class", o.ignore_class);
  v("axis", o.axis);
}

SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(
    const SparseCategoricalCrossentropyOptions& o)
    : Loss(make_loss(
          {"SparseCategoricalCrossentropy", "sparse_categorical_crossentropy"}, base_options(o),
          config::write(o),
          [o](const Tensor& y_true, const Tensor& y_pred) {
            return sparse_categorical_crossentropy(
                y_true, y_pred,
                {.from_logits = o.from_logits, .ignore_class = o.ignore_class, .axis = o.axis});
          },
          !o.ignore_class ? Function() : Function([o](const Tensor& y_true, const Tensor& y_pred) {
            return ops::not_equal(class_indices(y_true, y_pred), *o.ignore_class);
          }))) {}

template <class V>
void fields(V& v, CategoricalGeneralizedCrossEntropyOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
  v("q", o.q);
}

CategoricalGeneralizedCrossEntropy::CategoricalGeneralizedCrossEntropy(
    const CategoricalGeneralizedCrossEntropyOptions& o)
    : Loss(make_loss(
          {"CategoricalGeneralizedCrossEntropy", "categorical_generalized_cross_entropy"},
          base_options(o), config::write(o), [q = o.q](const Tensor& y_true, const Tensor& y_pred) {
            return categorical_generalized_cross_entropy(y_true, y_pred, q);
          })) {
  if (!(o.q > 0 && o.q < 1)) {
    throw ValueError("`q` must be in the interval (0, 1). Received: q={}", o.q);
  }
}

KLDivergence::KLDivergence(const LossOptions& options)
    : Loss(make_loss({"KLDivergence", "kl_divergence"}, options, Json::object(), kl_divergence)) {}

Poisson::Poisson(const LossOptions& options)
    : Loss(make_loss({"Poisson", "poisson"}, options, Json::object(), poisson)) {}

Losses::Family probabilistic_losses() {
  static const LossClass classes[] = {
      loss_class<BinaryCrossentropy, BinaryCrossentropyOptions>(
          {"binary_crossentropy", "bce", "BCE"}),
      loss_class<BinaryFocalCrossentropy, BinaryFocalCrossentropyOptions>(
          {"binary_focal_crossentropy"}),
      loss_class<CategoricalCrossentropy, CategoricalCrossentropyOptions>(
          {"categorical_crossentropy"}),
      loss_class<CategoricalFocalCrossentropy, CategoricalFocalCrossentropyOptions>(
          {"categorical_focal_crossentropy"}),
      loss_class<SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions>(
          {"sparse_categorical_crossentropy"}),
      loss_class<CategoricalGeneralizedCrossEntropy, CategoricalGeneralizedCrossEntropyOptions>(
          {"categorical_generalized_cross_entropy"}),
      loss_class<KLDivergence, LossOptions>(
          {"kl_divergence", "kullback_leibler_divergence", "kld", "KLD"}, kl_divergence),
      loss_class<Poisson, LossOptions>({"poisson"}, poisson),
  };
  return classes;
}

}  // namespace antler::losses
