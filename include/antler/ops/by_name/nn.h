#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/required.h"
#include "antler/ops/axes.h"
#include "antler/ops/by_name/arguments.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/sorting.h"

/// Activations, normalization and encodings with arguments by name.
namespace antler::ops {

inline Tensor softmax(const Tensor& x, const AxisArgument& by_name) {
  return softmax(x, by_name.axis);
}
inline Tensor log_softmax(const Tensor& x, const AxisArgument& by_name) {
  return log_softmax(x, by_name.axis);
}
inline Tensor sparsemax(const Tensor& x, const AxisArgument& by_name) {
  return sparsemax(x, by_name.axis);
}
inline Tensor glu(const Tensor& x, const AxisArgument& by_name) { return glu(x, by_name.axis); }
/// The arguments of top_k() by name.
struct TopKArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  bool sorted = true;  ///< no effect: the result is always sorted
};
inline TopK top_k(const Tensor& x, int64_t k, const TopKArguments& /*by_name*/) {
  return top_k(x, k);
}

/// All arguments of top_k() after the tensor by name.
struct TopKAllArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> k;  ///< how many
  bool sorted = true;   ///< no effect: the result is always sorted
};
inline TopK top_k(const Tensor& x, const TopKAllArguments& by_name) { return top_k(x, by_name.k); }
ANTLER_KEYWORD_FUNCTION(top_k, TopKAllArguments, const Tensor&)
inline Tensor in_top_k(const Tensor& targets, const Tensor& predictions,
                       const TopKAllArguments& by_name) {
  return in_top_k(targets, predictions, by_name.k);
}
ANTLER_KEYWORD_FUNCTION(in_top_k, TopKAllArguments, const Tensor&, const Tensor&)

/// The arguments of one_hot() by name.
struct OneHotArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> num_classes;     ///< size of the new dimension
  int64_t axis = -1;                 ///< of the new dimension
  DTypeArg dtype = default_float();  ///< of the result
};
inline Tensor one_hot(const Tensor& indices, const OneHotArguments& by_name) {
  return one_hot(indices, by_name.num_classes, {.axis = by_name.axis, .dtype = by_name.dtype});
}
ANTLER_KEYWORD_FUNCTION(one_hot, OneHotArguments, const Tensor&)
inline Tensor multi_hot(const Tensor& indices, const OneHotArguments& by_name) {
  return multi_hot(indices, by_name.num_classes, {.axis = by_name.axis, .dtype = by_name.dtype});
}
ANTLER_KEYWORD_FUNCTION(multi_hot, OneHotArguments, const Tensor&)

/// The slope of leaky_relu() by name.
struct LeakyReluArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double negative_slope = 0.2;  ///< of negative numbers
};
inline Tensor leaky_relu(const Tensor& x, const LeakyReluArgument& by_name) {
  return leaky_relu(x, by_name.negative_slope);
}
/// The scale of elu() and celu() by name.
struct EluArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double alpha = 1;  ///< of negative numbers
};
inline Tensor elu(const Tensor& x, const EluArgument& by_name) { return elu(x, by_name.alpha); }
inline Tensor celu(const Tensor& x, const EluArgument& by_name) { return celu(x, by_name.alpha); }

/// The threshold of hard_shrink() and soft_shrink() by name.
struct ShrinkArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double threshold = 0.5;  ///< of the magnitude
};
inline Tensor hard_shrink(const Tensor& x, const ShrinkArgument& by_name) {
  return hard_shrink(x, by_name.threshold);
}
inline Tensor soft_shrink(const Tensor& x, const ShrinkArgument& by_name) {
  return soft_shrink(x, by_name.threshold);
}
/// The smoothness of squareplus() by name.
struct SquareplusArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double b = 4;  ///< how smooth it is at 0
};
inline Tensor squareplus(const Tensor& x, const SquareplusArgument& by_name) {
  return squareplus(x, by_name.b);
}

/// The arguments of moments() by name.
struct MomentsArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<Axes> axes;    ///< one or several
  bool keepdims = false;  ///< keep the reduced axes, with size 1
};
inline Moments moments(const Tensor& x, const MomentsArguments& by_name) {
  return moments(x, by_name.axes, {.keepdims = by_name.keepdims});
}
ANTLER_KEYWORD_FUNCTION(moments, MomentsArguments, const Tensor&)

/// The arguments of normalize() by name.
struct NormalizeArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {-1};       ///< of the vectors
  int64_t order = 2;      ///< of the norm
  double epsilon = 1e-7;  ///< lower bound of the norm
};
template <class Arguments = NormalizeArguments>
Tensor normalize(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return normalize(x, by_name.axis, by_name.order, by_name.epsilon);
}
ANTLER_KEYWORD_FUNCTION(normalize, NormalizeArguments, const Tensor&)
/// The arguments of layer_normalization() and rms_normalization() by name.
struct LayerNormalizationArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {-1};       ///< normalized together
  double epsilon = 1e-7;  ///< added to the variance
};
inline Tensor layer_normalization(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                                  const LayerNormalizationArguments& by_name) {
  return layer_normalization(x, gamma, beta, by_name.axis, by_name.epsilon);
}
ANTLER_KEYWORD_FUNCTION(layer_normalization, LayerNormalizationArguments, const Tensor&,
                        const Tensor&, const Tensor&)
inline Tensor rms_normalization(const Tensor& x, const Tensor& scale,
                                const LayerNormalizationArguments& by_name) {
  return rms_normalization(x, scale, by_name.axis, by_name.epsilon);
}
ANTLER_KEYWORD_FUNCTION(rms_normalization, LayerNormalizationArguments, const Tensor&,
                        const Tensor&)

}  // namespace antler::ops
