#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/named_only.h"
#include "antler/core/required.h"
#include "antler/core/tensor.h"
#include "antler/ops/axes.h"
#include "antler/ops/core.h"
#include "antler/ops/fft.h"
#include "antler/ops/image.h"
#include "antler/ops/linalg.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"

/// Arguments by Keras's names: `ops::mean(x, {.axis = -1, .keepdims = true})` is
/// `ops::mean(x, -1, {.keepdims = true})`.
namespace antler::ops {

/// The arguments of reductions by name.
struct ReduceArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};         ///< one or several; default: all
  bool keepdims = false;  ///< keep the reduced axes, with size 1
};

// Templates, so that `sum(x, {})` and `sum(x, {-1})` still select the overloads with axes by
// position.
template <class Arguments = ReduceArguments>
Tensor sum(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return sum(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor prod(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return prod(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor max(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return max(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor min(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return min(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor amax(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return amax(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor amin(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return amin(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor any(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return any(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor all(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return all(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor mean(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return mean(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor variance(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return variance(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor var(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return var(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor std(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return std(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor logsumexp(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return logsumexp(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nansum(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nansum(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanprod(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanprod(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanmax(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanmax(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanmin(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanmin(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanmean(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanmean(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanvar(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanvar(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanstd(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanstd(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor median(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return median(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor nanmedian(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return nanmedian(x, by_name.axis, {.keepdims = by_name.keepdims});
}
template <class Arguments = ReduceArguments>
Tensor ptp(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return ptp(x, by_name.axis, {.keepdims = by_name.keepdims});
}

/// The arguments of argmax() and argmin() by name.
struct ArgExtremumArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> axis = {};  ///< of the search; default: the flattened array
  bool keepdims = false;             ///< keep the axis, with size 1
};
inline Tensor argmax(const Tensor& x, const ArgExtremumArguments& by_name) {
  return argmax(x, by_name.axis, {.keepdims = by_name.keepdims});
}
inline Tensor argmin(const Tensor& x, const ArgExtremumArguments& by_name) {
  return argmin(x, by_name.axis, {.keepdims = by_name.keepdims});
}
inline Tensor nanargmax(const Tensor& x, const ArgExtremumArguments& by_name) {
  return nanargmax(x, by_name.axis, {.keepdims = by_name.keepdims});
}
inline Tensor nanargmin(const Tensor& x, const ArgExtremumArguments& by_name) {
  return nanargmin(x, by_name.axis, {.keepdims = by_name.keepdims});
}

/// The axis of a function by name.
struct AxisArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t axis = -1;
};
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
inline Tensor expand_dims(const Tensor& x, const AxisArgument& by_name) {
  return expand_dims(x, by_name.axis);
}
inline Tensor squeeze(const Tensor& x, const AxisArgument& by_name) {
  return squeeze(x, by_name.axis);
}
inline Tensor nancumsum(const Tensor& x, const AxisArgument& by_name) {
  return nancumsum(x, by_name.axis);
}
inline Tensor nancumprod(const Tensor& x, const AxisArgument& by_name) {
  return nancumprod(x, by_name.axis);
}
inline Tensor concatenate(const std::vector<Tensor>& xs, const AxisArgument& by_name) {
  return concatenate(xs, by_name.axis);
}
inline Tensor stack(const std::vector<Tensor>& xs, const AxisArgument& by_name) {
  return stack(xs, by_name.axis);
}
/// The arguments of unstack() by name.
struct UnstackArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> num = {};  ///< must be the size of the axis if given
  int64_t axis = 0;                 ///< the axis that is removed
};
/// Throws ValueError if `num` is not the size of the axis.
TensorParts unstack(const Tensor& x, const UnstackArguments& by_name);
inline TensorParts split(const Tensor& x, int64_t parts, const AxisArgument& by_name) {
  return split(x, parts, by_name.axis);
}
inline TensorParts split(const Tensor& x, const std::vector<int64_t>& indices,
                         const AxisArgument& by_name) {
  return split(x, indices, by_name.axis);
}
inline TensorParts split(const Tensor& x, std::initializer_list<int64_t> indices,
                         const AxisArgument& by_name) {
  return split(x, indices, by_name.axis);
}
inline TensorParts array_split(const Tensor& x, int64_t parts, const AxisArgument& by_name) {
  return array_split(x, parts, by_name.axis);
}
inline TensorParts array_split(const Tensor& x, const std::vector<int64_t>& indices,
                               const AxisArgument& by_name) {
  return array_split(x, indices, by_name.axis);
}
inline TensorParts array_split(const Tensor& x, std::initializer_list<int64_t> indices,
                               const AxisArgument& by_name) {
  return array_split(x, indices, by_name.axis);
}
inline Tensor append(const Tensor& x, const Tensor& y, const AxisArgument& by_name) {
  return append(x, y, by_name.axis);
}
inline Tensor take(const Tensor& x, const Tensor& indices, const AxisArgument& by_name) {
  return take(x, indices, by_name.axis);
}
inline Tensor take_along_axis(const Tensor& x, const Tensor& indices, const AxisArgument& by_name) {
  return take_along_axis(x, indices, by_name.axis);
}
inline Tensor repeat(const Tensor& x, int64_t count, const AxisArgument& by_name) {
  return repeat(x, count, by_name.axis);
}
inline Tensor roll(const Tensor& x, int64_t shift, const AxisArgument& by_name) {
  return roll(x, shift, by_name.axis);
}
inline Tensor argpartition(const Tensor& x, int64_t kth, const AxisArgument& by_name) {
  return argpartition(x, kth, by_name.axis);
}

/// The arguments of sort() and argsort() by name.
struct SortArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t axis = -1;        ///< the axis to sort along
  bool descending = false;  ///< largest first
};
inline Tensor sort(const Tensor& x, const SortArguments& by_name) {
  return sort(x, by_name.axis, {.descending = by_name.descending});
}
inline Tensor argsort(const Tensor& x, const SortArguments& by_name) {
  return argsort(x, by_name.axis, {.descending = by_name.descending});
}

/// The arguments of cumsum() and cumprod() by name.
struct CumulativeArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> axis = {};  ///< default: the flattened array
  bool reverse = false;              ///< from the last element to the first
  bool exclusive = false;            ///< each result leaves out its own element
};
inline Tensor cumsum(const Tensor& x, const CumulativeArguments& by_name) {
  return cumsum(x, by_name.axis, {.reverse = by_name.reverse, .exclusive = by_name.exclusive});
}
inline Tensor cumprod(const Tensor& x, const CumulativeArguments& by_name) {
  return cumprod(x, by_name.axis, {.reverse = by_name.reverse, .exclusive = by_name.exclusive});
}

/// The arguments of diff() by name.
struct DiffArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t n = 1;      ///< how often to take differences
  int64_t axis = -1;  ///< the axis of the differences
};
inline Tensor diff(const Tensor& x, const DiffArguments& by_name) {
  return diff(x, by_name.n, by_name.axis);
}

/// The arguments of segment_sum() and similar functions by name.
struct SegmentArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> num_segments = {};  ///< default: the largest id + 1
  bool sorted = false;                       ///< whether ids are sorted; no effect
};
inline Tensor segment_sum(const Tensor& data, const Tensor& segment_ids,
                          const SegmentArguments& by_name) {
  return segment_sum(data, segment_ids, by_name.num_segments);
}
inline Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                           const SegmentArguments& by_name) {
  return segment_prod(data, segment_ids, by_name.num_segments);
}
inline Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                          const SegmentArguments& by_name) {
  return segment_max(data, segment_ids, by_name.num_segments);
}
inline Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                          const SegmentArguments& by_name) {
  return segment_min(data, segment_ids, by_name.num_segments);
}

/// The arguments of average() by name.
struct AverageArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};       ///< one or several; default: all
  Tensor weights = {};  ///< with the shape of x, or [size of the axis] for a single axis
};
template <class Arguments = AverageArguments>
Tensor average(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return average(x, by_name.axis, {.weights = by_name.weights});
}

/// The arguments of quantile() and similar functions by name.
struct QuantileArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};                 ///< one or several; default: all
  std::string method = "linear";  ///< see QuantileOptions
  bool keepdims = false;          ///< keep the reduced axes, with size 1
};
template <class Arguments = QuantileArguments>
Tensor quantile(const Tensor& x, const Tensor& q, const std::type_identity_t<Arguments>& by_name) {
  return quantile(x, q, by_name.axis, {.method = by_name.method, .keepdims = by_name.keepdims});
}
template <class Arguments = QuantileArguments>
Tensor percentile(const Tensor& x, const Tensor& q,
                  const std::type_identity_t<Arguments>& by_name) {
  return percentile(x, q, by_name.axis, {.method = by_name.method, .keepdims = by_name.keepdims});
}
template <class Arguments = QuantileArguments>
Tensor nanquantile(const Tensor& x, const Tensor& q,
                   const std::type_identity_t<Arguments>& by_name) {
  return nanquantile(x, q, by_name.axis, {.method = by_name.method, .keepdims = by_name.keepdims});
}
template <class Arguments = QuantileArguments>
Tensor nanpercentile(const Tensor& x, const Tensor& q,
                     const std::type_identity_t<Arguments>& by_name) {
  return nanpercentile(x, q, by_name.axis,
                       {.method = by_name.method, .keepdims = by_name.keepdims});
}

/// The arguments of histogram() by name.
struct HistogramArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t bins = 10;                                    ///< number of bins
  std::optional<std::pair<double, double>> range = {};  ///< default: from minimum to maximum
};
inline Histogram histogram(const Tensor& x, const HistogramArguments& by_name) {
  return histogram(x, by_name.bins, by_name.range);
}

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
inline Tensor in_top_k(const Tensor& targets, const Tensor& predictions,
                       const TopKAllArguments& by_name) {
  return in_top_k(targets, predictions, by_name.k);
}

/// The arguments of repeat() by name.
struct RepeatArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> repeats;         ///< how often each element occurs
  std::optional<int64_t> axis = {};  ///< default: the flattened array
};
inline Tensor repeat(const Tensor& x, const RepeatArguments& by_name) {
  return by_name.axis ? repeat(x, by_name.repeats, *by_name.axis) : repeat(x, by_name.repeats);
}

/// The arguments of roll() by name.
struct RollArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> shift;           ///< places towards the end
  std::optional<int64_t> axis = {};  ///< default: the flattened array
};
inline Tensor roll(const Tensor& x, const RollArguments& by_name) {
  return by_name.axis ? roll(x, by_name.shift, *by_name.axis) : roll(x, by_name.shift);
}

/// The limits of clip() by name.
struct ClipArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<Tensor> x_min;  ///< smaller elements become it
  Required<Tensor> x_max;  ///< larger elements become it
};
inline Tensor clip(const Tensor& x, const ClipArguments& by_name) {
  return clip(x, by_name.x_min, by_name.x_max);
}

/// The arguments of pad() by name.
struct PadArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::string mode = "constant";  ///< or a mode of pad_mirrored()
  Tensor constant_values = 0;     ///< the padding for "constant"
};
inline Tensor pad(const Tensor& x, const PadWidth& pad_width, const PadArguments& by_name) {
  return pad_by_mode(x, pad_width, by_name.mode, by_name.constant_values);
}

/// The diagonal of a function by name.
struct DiagonalArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t k = 0;  ///< above the main one if positive
};
inline Tensor tril(const Tensor& x, const DiagonalArgument& by_name) { return tril(x, by_name.k); }
inline Tensor triu(const Tensor& x, const DiagonalArgument& by_name) { return triu(x, by_name.k); }
inline Tensor diag(const Tensor& x, const DiagonalArgument& by_name) { return diag(x, by_name.k); }
inline Tensor diagflat(const Tensor& x, const DiagonalArgument& by_name) {
  return diagflat(x, by_name.k);
}
/// The arguments of vander() by name.
struct VanderArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  // NOLINTNEXTLINE(readability-identifier-naming): Keras's name
  std::optional<int64_t> N = {};  ///< number of columns; default: the size of the vector
  bool increasing = false;        ///< the powers are 0, 1, ..., N-1
};
template <class Arguments = VanderArguments>
Tensor vander(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return vander(x, by_name.N, {.increasing = by_name.increasing});
}

/// The arguments of diagonal() and trace() by name.
struct PlaneArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t offset = 0;  ///< of the diagonal; above the main one if positive
  int64_t axis1 = 0;   ///< an axis of the planes
  int64_t axis2 = 1;   ///< the other one
};
inline Tensor diagonal(const Tensor& x, const PlaneArguments& by_name) {
  return diagonal(x, by_name.offset, by_name.axis1, by_name.axis2);
}
inline Tensor trace(const Tensor& x, const PlaneArguments& by_name) {
  return trace(x, by_name.offset, by_name.axis1, by_name.axis2);
}

/// The arguments of rot90() by name.
struct Rot90Arguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t k = 1;                              ///< number of rotations by 90 degrees
  std::pair<int64_t, int64_t> axes = {0, 1};  ///< from the first towards the second
};
inline Tensor rot90(const Tensor& x, const Rot90Arguments& by_name) {
  return rot90(x, by_name.k, by_name.axes.first, by_name.axes.second);
}

/// The dtype of a function by name.
struct DTypeArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<DTypeArg> dtype = {};  ///< default: that of the argument
};
inline Tensor zeros_like(const Tensor& x, const DTypeArgument& by_name) {
  return by_name.dtype ? cast(zeros_like(x), *by_name.dtype) : zeros_like(x);
}
inline Tensor ones_like(const Tensor& x, const DTypeArgument& by_name) {
  return by_name.dtype ? cast(ones_like(x), *by_name.dtype) : ones_like(x);
}
inline Tensor full_like(const Tensor& x, const Tensor& value, const DTypeArgument& by_name) {
  return by_name.dtype ? full_like(x, value, *by_name.dtype) : full_like(x, value);
}
inline Tensor identity(int64_t n, const DTypeArgument& by_name) {
  return by_name.dtype ? identity(n, *by_name.dtype) : identity(n);
}
// Templates, so that braces without a name select the overloads with the dtype by position.
template <class Arguments = DTypeArgument>
Tensor empty_like(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return empty_like(x, by_name.dtype);
}
template <class Arguments = DTypeArgument>
Tensor convert_to_tensor(const ArrayLiteral& values,
                         const std::type_identity_t<Arguments>& by_name) {
  return convert_to_tensor(values, by_name.dtype);
}
template <class T, class Arguments = DTypeArgument>
Tensor convert_to_tensor(const T& x, const std::type_identity_t<Arguments>& by_name) {
  return convert_to_tensor(x, by_name.dtype);
}
template <class Arguments = DTypeArgument>
Tensor array(const ArrayLiteral& values, const std::type_identity_t<Arguments>& by_name) {
  return convert_to_tensor(values, by_name.dtype);
}
template <class T, class Arguments = DTypeArgument>
Tensor array(const T& x, const std::type_identity_t<Arguments>& by_name) {
  return convert_to_tensor(x, by_name.dtype);
}

/// The dtype of cast() and saturate_cast() by name.
struct CastArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  DTypeArg dtype;
};
template <class Arguments = CastArgument>
Tensor cast(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return cast(x, by_name.dtype);
}
template <class Arguments = CastArgument>
Tensor saturate_cast(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return saturate_cast(x, by_name.dtype);
}

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
inline Tensor multi_hot(const Tensor& indices, const OneHotArguments& by_name) {
  return multi_hot(indices, by_name.num_classes, {.axis = by_name.axis, .dtype = by_name.dtype});
}

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
inline Tensor rms_normalization(const Tensor& x, const Tensor& scale,
                                const LayerNormalizationArguments& by_name) {
  return rms_normalization(x, scale, by_name.axis, by_name.epsilon);
}

/// The arguments of conv() by name.
struct ConvArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  NumberOrList strides = {1};        ///< one number, or one per spatial dimension
  std::string padding = "valid";     ///< "same" or "causal"
  NumberOrList dilation_rate = {1};  ///< distance between elements of the kernel
};
// Templates, so that options that fit both types select the overload with ConvDims.
template <class Arguments = ConvArguments>
Tensor conv(const Tensor& x, const Tensor& kernel, const std::type_identity_t<Arguments>& by_name) {
  return conv(x, kernel,
              conv_dims(x, kernel, by_name.strides, by_name.padding, by_name.dilation_rate));
}
template <class Arguments = ConvArguments>
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel,
                      const std::type_identity_t<Arguments>& by_name) {
  return depthwise_conv(
      x, kernel, conv_dims(x, kernel, by_name.strides, by_name.padding, by_name.dilation_rate));
}
template <class Arguments = ConvArguments>
Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel,
                      const std::type_identity_t<Arguments>& by_name) {
  return separable_conv(
      x, depthwise_kernel, pointwise_kernel,
      conv_dims(x, depthwise_kernel, by_name.strides, by_name.padding, by_name.dilation_rate));
}
/// A convolution with stride 1 and padding "valid".
inline Tensor conv(const Tensor& x, const Tensor& kernel) {
  return conv(x, kernel, conv_dims(x, kernel));
}
/// Convolutions with one stride for all dimensions by position: `conv(x, kernel, 2, "same")`.
template <std::integral Stride>
Tensor conv(const Tensor& x, const Tensor& kernel, Stride strides,
            const std::string& padding = "valid") {
  return conv(x, kernel, conv_dims(x, kernel, {strides}, padding));
}
template <std::integral Stride>
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, Stride strides,
                      const std::string& padding = "valid") {
  return depthwise_conv(x, kernel, conv_dims(x, kernel, {strides}, padding));
}
/// The arguments of conv_transpose() by name.
struct ConvTransposeArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  NumberOrList strides = {1};        ///< one number, or one per spatial dimension
  std::string padding = "valid";     ///< or "same"
  NumberOrList output_padding = {};  ///< default: by strides and padding
  NumberOrList dilation_rate = {1};  ///< distance between elements of the kernel
};
inline Tensor conv_transpose(const Tensor& x, const Tensor& kernel,
                             const ConvTransposeArguments& by_name) {
  return transposed_conv(x, kernel, by_name.strides, by_name.padding, by_name.output_padding,
                         by_name.dilation_rate);
}
/// Pooling with one stride for all dimensions by position: `max_pool(x, 2, 2, "same")`.
template <std::integral Stride>
Tensor max_pool(const Tensor& x, const NumberOrList& pool_size, Stride strides,
                const std::string& padding = "valid") {
  return max_pool(x, std::vector<int64_t>(pool_size), {.strides = strides, .padding = padding});
}
template <std::integral Stride>
Tensor average_pool(const Tensor& x, const NumberOrList& pool_size, Stride strides,
                    const std::string& padding = "valid") {
  return average_pool(x, std::vector<int64_t>(pool_size), {.strides = strides, .padding = padding});
}
/// Pooling to one size for all dimensions.
inline Tensor adaptive_max_pool(const Tensor& x, int64_t output_size, int first_axis = 1) {
  return adaptive_max_pool(x, std::vector<int64_t>{output_size}, first_axis);
}
inline Tensor adaptive_average_pool(const Tensor& x, int64_t output_size, int first_axis = 1) {
  return adaptive_average_pool(x, std::vector<int64_t>{output_size}, first_axis);
}
/// Pooling with one size for all dimensions.
inline Tensor max_pool(const Tensor& x, int64_t pool_size, const PoolOptions& options = {}) {
  return max_pool(x, std::vector<int64_t>{pool_size}, options);
}
inline Tensor average_pool(const Tensor& x, int64_t pool_size, const PoolOptions& options = {}) {
  return average_pool(x, std::vector<int64_t>{pool_size}, options);
}

/// Resizing with the interpolation by position: `resize(images, {8, 8}, "nearest")`.
template <std::convertible_to<std::string> S>
Tensor resize(const Tensor& images, std::pair<int64_t, int64_t> size, const S& interpolation) {
  return resize(images, size, {.interpolation = interpolation});
}
// Templates, so that options that fit both types select the overload with ImageSides.
/// The arguments of pad_images() by name.
struct PadImagesArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> top_padding = {};     ///< rows; see ImageSides
  std::optional<int64_t> left_padding = {};    ///< columns
  std::optional<int64_t> bottom_padding = {};  ///< rows
  std::optional<int64_t> right_padding = {};   ///< columns
  std::optional<int64_t> target_height = {};   ///< rows of the result
  std::optional<int64_t> target_width = {};    ///< columns of the result
};
template <class Arguments = PadImagesArguments>
Tensor pad_images(const Tensor& images, const std::type_identity_t<Arguments>& by_name) {
  return pad_images(images,
                    ImageSides{by_name.top_padding, by_name.left_padding, by_name.bottom_padding,
                               by_name.right_padding, by_name.target_height, by_name.target_width});
}
/// The arguments of crop_images() by name.
struct CropImagesArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> top_cropping = {};     ///< rows; see ImageSides
  std::optional<int64_t> left_cropping = {};    ///< columns
  std::optional<int64_t> bottom_cropping = {};  ///< rows
  std::optional<int64_t> right_cropping = {};   ///< columns
  std::optional<int64_t> target_height = {};    ///< rows of the result
  std::optional<int64_t> target_width = {};     ///< columns of the result
};
template <class Arguments = CropImagesArguments>
Tensor crop_images(const Tensor& images, const std::type_identity_t<Arguments>& by_name) {
  return crop_images(
      images, ImageSides{by_name.top_cropping, by_name.left_cropping, by_name.bottom_cropping,
                         by_name.right_cropping, by_name.target_height, by_name.target_width});
}

/// The length of a Fourier transform by name.
struct FftArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> fft_length = {};  ///< default: that of the last axis
};
inline Complex rfft(const Tensor& x, const FftArgument& by_name) {
  return rfft(x, by_name.fft_length);
}
inline Tensor irfft(const Complex& x, const FftArgument& by_name) {
  return irfft(x, by_name.fft_length);
}

/// The bound for small singular values by name.
struct RcondArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<double> rcond = {};  ///< relative to the largest; default: by dtype and size
};
inline Tensor pinv(const Tensor& x, const RcondArgument& by_name) { return pinv(x, by_name.rcond); }
inline Tensor lstsq(const Tensor& a, const Tensor& b, const RcondArgument& by_name) {
  return lstsq(a, b, by_name.rcond);
}
/// The bound of matrix_rank() by name.
struct TolArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<double> tol = {};  ///< smaller singular values count as 0; default: by dtype, size
};
template <class Arguments = TolArgument>
Tensor matrix_rank(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return matrix_rank(x, by_name.tol);
}

}  // namespace antler::ops
