#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/required.h"
#include "antler/ops/axes.h"
#include "antler/ops/by_name/arguments.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/numpy/sorting.h"

/// Functions of keras.ops.numpy and core with arguments by name.
namespace antler::ops {

/// The number of decimals of round() by name.
struct DecimalsArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t decimals = 0;
};
inline Tensor round(const Tensor& x, const DecimalsArgument& by_name) {
  return round(x, by_name.decimals);
}
/// The side of searchsorted() by name.
struct SideArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::string side = "left";  ///< or "right": where equal elements are
};
inline Tensor searchsorted(const Tensor& sorted, const Tensor& values,
                           const SideArgument& by_name) {
  return searchsorted(sorted, values, by_name.side);
}
inline TensorParts meshgrid(const std::vector<Tensor>& xs, const MeshgridOptions& by_name) {
  return meshgrid(xs, by_name.indexing);
}
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
ANTLER_KEYWORD_FUNCTION(unstack, UnstackArguments, const Tensor&)
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

/// The axes of flip() and count_nonzero() by name.
struct AxesArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Axes axis = {};  ///< one or several; default: all
};
template <class Arguments = AxesArgument>
Tensor flip(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return flip(x, by_name.axis);
}
template <class Arguments = AxesArgument>
Tensor count_nonzero(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return count_nonzero(x, by_name.axis);
}
/// The order of transpose() by name.
struct TransposeArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::vector<int64_t> axes = {};  ///< default: reversed
};
template <class Arguments = TransposeArgument>
Tensor transpose(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return transpose(x, by_name.axes);
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
ANTLER_KEYWORD_FUNCTION(sort, SortArguments, const Tensor&)
inline Tensor argsort(const Tensor& x, const SortArguments& by_name) {
  return argsort(x, by_name.axis, {.descending = by_name.descending});
}
ANTLER_KEYWORD_FUNCTION(argsort, SortArguments, const Tensor&)

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
ANTLER_KEYWORD_FUNCTION(cumsum, CumulativeArguments, const Tensor&)
inline Tensor cumprod(const Tensor& x, const CumulativeArguments& by_name) {
  return cumprod(x, by_name.axis, {.reverse = by_name.reverse, .exclusive = by_name.exclusive});
}
ANTLER_KEYWORD_FUNCTION(cumprod, CumulativeArguments, const Tensor&)

/// The arguments of diff() by name.
struct DiffArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t n = 1;      ///< how often to take differences
  int64_t axis = -1;  ///< the axis of the differences
};
inline Tensor diff(const Tensor& x, const DiffArguments& by_name) {
  return diff(x, by_name.n, by_name.axis);
}
ANTLER_KEYWORD_FUNCTION(diff, DiffArguments, const Tensor&)

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
ANTLER_KEYWORD_FUNCTION(segment_sum, SegmentArguments, const Tensor&, const Tensor&)
inline Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                           const SegmentArguments& by_name) {
  return segment_prod(data, segment_ids, by_name.num_segments);
}
ANTLER_KEYWORD_FUNCTION(segment_prod, SegmentArguments, const Tensor&, const Tensor&)
inline Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                          const SegmentArguments& by_name) {
  return segment_max(data, segment_ids, by_name.num_segments);
}
ANTLER_KEYWORD_FUNCTION(segment_max, SegmentArguments, const Tensor&, const Tensor&)
inline Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                          const SegmentArguments& by_name) {
  return segment_min(data, segment_ids, by_name.num_segments);
}
ANTLER_KEYWORD_FUNCTION(segment_min, SegmentArguments, const Tensor&, const Tensor&)

/// The arguments of repeat() by name.
struct RepeatArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> repeats;         ///< how often each element occurs
  std::optional<int64_t> axis = {};  ///< default: the flattened array
};
inline Tensor repeat(const Tensor& x, const RepeatArguments& by_name) {
  return by_name.axis ? repeat(x, by_name.repeats, *by_name.axis) : repeat(x, by_name.repeats);
}
ANTLER_KEYWORD_FUNCTION(repeat, RepeatArguments, const Tensor&)

/// The arguments of roll() by name.
struct RollArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> shift;           ///< places towards the end
  std::optional<int64_t> axis = {};  ///< default: the flattened array
};
inline Tensor roll(const Tensor& x, const RollArguments& by_name) {
  return by_name.axis ? roll(x, by_name.shift, *by_name.axis) : roll(x, by_name.shift);
}
ANTLER_KEYWORD_FUNCTION(roll, RollArguments, const Tensor&)

/// The limits of clip() by name.
struct ClipArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<Tensor> x_min;  ///< smaller elements become it
  Required<Tensor> x_max;  ///< larger elements become it
};
inline Tensor clip(const Tensor& x, const ClipArguments& by_name) {
  return clip(x, by_name.x_min, by_name.x_max);
}
ANTLER_KEYWORD_FUNCTION(clip, ClipArguments, const Tensor&)

/// The arguments of pad() by name.
struct PadArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::string mode = "constant";  ///< or a mode of pad_mirrored()
  Tensor constant_values = 0;     ///< the padding for "constant"
};
inline Tensor pad(const Tensor& x, const PadWidth& pad_width, const PadArguments& by_name) {
  return pad_by_mode(x, pad_width, by_name.mode, by_name.constant_values);
}
ANTLER_KEYWORD_FUNCTION(pad, PadArguments, const Tensor&, const PadWidth&)

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
ANTLER_KEYWORD_FUNCTION(vander, VanderArguments, const Tensor&)

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
ANTLER_KEYWORD_FUNCTION(diagonal, PlaneArguments, const Tensor&)
inline Tensor trace(const Tensor& x, const PlaneArguments& by_name) {
  return trace(x, by_name.offset, by_name.axis1, by_name.axis2);
}
ANTLER_KEYWORD_FUNCTION(trace, PlaneArguments, const Tensor&)

/// The arguments of rot90() by name.
struct Rot90Arguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t k = 1;                              ///< number of rotations by 90 degrees
  std::pair<int64_t, int64_t> axes = {0, 1};  ///< from the first towards the second
};
inline Tensor rot90(const Tensor& x, const Rot90Arguments& by_name) {
  return rot90(x, by_name.k, by_name.axes.first, by_name.axes.second);
}
ANTLER_KEYWORD_FUNCTION(rot90, Rot90Arguments, const Tensor&)

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
  Required<DTypeArg> dtype;
};
template <class Arguments = CastArgument>
Tensor cast(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return cast(x, by_name.dtype);
}
template <class Arguments = CastArgument>
Tensor saturate_cast(const Tensor& x, const std::type_identity_t<Arguments>& by_name) {
  return saturate_cast(x, by_name.dtype);
}

}  // namespace antler::ops
