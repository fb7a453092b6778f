#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/tensor_parts.h"
#include "antler/ops/axes.h"

/// Functions that reshape, join, split, pad, reorder and select elements. Axes may be negative.
namespace antler::ops {

// Shapes and axes.
Tensor broadcast_to(const Tensor& x, const Shape& shape);  ///< repeats dimensions of size 1
/// One dimension may be -1, which is inferred.
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor ravel(const Tensor& x);
Tensor transpose(const Tensor& x, std::vector<int64_t> axes = {});
Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2);
Tensor moveaxis(const Tensor& x, int64_t source, int64_t destination);
Tensor expand_dims(const Tensor& x, int64_t axis);
/// Removes `axis`, or all dimensions of size 1.
Tensor squeeze(const Tensor& x, std::optional<int64_t> axis = {});
/// einops.rearrange: "b (h w) c -> b c h w". `sizes` gives the sizes that the shape does not
/// determine: {{"h", 4}}. Throws ValueError for a pattern that does not fit.
Tensor rearrange(const Tensor& x, const std::string& pattern,
                 const std::vector<std::pair<std::string, int64_t>>& sizes = {});

// Joining and splitting.
Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis = 0);  ///< along an axis
Tensor stack(const std::vector<Tensor>& xs, int64_t axis = 0);        ///< along a new axis
/// Appends y to x along an axis; without one, appends the flattened arrays.
Tensor append(const Tensor& x, const Tensor& y, std::optional<int64_t> axis = {});
Tensor hstack(const std::vector<Tensor>& xs);  ///< along axis 1; vectors along axis 0
Tensor vstack(const std::vector<Tensor>& xs);  ///< along axis 0; vectors become rows
Tensor dstack(const std::vector<Tensor>& xs);  ///< along axis 2
/// Splits before each of the indices.
TensorParts split(const Tensor& x, const std::vector<int64_t>& indices, int64_t axis = 0);
/// The same for `{2}`, which is one index, as `[2]` is in Python.
inline TensorParts split(const Tensor& x, std::initializer_list<int64_t> indices,
                         int64_t axis = 0) {
  return split(x, std::vector<int64_t>(indices), axis);
}
/// Splits into equal parts. Throws ValueError if the size is not divisible.
TensorParts split(const Tensor& x, int64_t parts, int64_t axis = 0);
/// Splits into parts whose sizes differ by at most one, larger ones first.
TensorParts array_split(const Tensor& x, int64_t parts, int64_t axis = 0);
TensorParts array_split(const Tensor& x, const std::vector<int64_t>& indices, int64_t axis = 0);
inline TensorParts array_split(const Tensor& x, std::initializer_list<int64_t> indices,
                               int64_t axis = 0) {
  return array_split(x, std::vector<int64_t>(indices), axis);
}
/// split() along axis 1 (0 of a vector), 0, and 2.
TensorParts hsplit(const Tensor& x, int64_t parts);
TensorParts hsplit(const Tensor& x, const std::vector<int64_t>& indices);
TensorParts vsplit(const Tensor& x, int64_t parts);
TensorParts vsplit(const Tensor& x, const std::vector<int64_t>& indices);
TensorParts dsplit(const Tensor& x, int64_t parts);
TensorParts dsplit(const Tensor& x, const std::vector<int64_t>& indices);

// Padding.
/// Inserts low[i] elements of `value` before axis i, high[i] after it and interior[i] between its
/// elements. Negative low and high remove elements.
Tensor pad(const Tensor& x, std::vector<int64_t> low, std::vector<int64_t> high,
           std::vector<int64_t> interior = {}, const Tensor& value = 0);
/// Keras's pad with mode "reflect" (dcb|abcd|cba) or "symmetric" (dcba|abcd|dcba). It mirrors
/// repeatedly if the padding is longer than the axis. Throws ValueError for another mode, negative
/// numbers, and an axis with nothing to mirror.
Tensor pad_mirrored(const Tensor& x, const std::vector<int64_t>& low,
                    const std::vector<int64_t>& high, const std::string& mode);
/// Argument type of `pad_width`: elements before and after each axis, `{{1, 1}, {0, 0}}`; as in
/// Keras, a number or `{{before, after}}` is for all axes.
struct PadWidth {
  template <std::integral T>
  PadWidth(T width)  // NOLINT(google-explicit-constructor)
      : axes{{static_cast<int64_t>(width), static_cast<int64_t>(width)}} {}
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> pairs) : axes(pairs) {}
  PadWidth(std::vector<std::pair<int64_t, int64_t>> pairs)  // NOLINT(google-explicit-constructor)
      : axes(std::move(pairs)) {}
  std::vector<std::pair<int64_t, int64_t>> axes;
};
/// `mode` is "constant", which pads with `constant_values`, or one of pad_mirrored().
Tensor pad_by_mode(const Tensor& x, const PadWidth& pad_width, const std::string& mode,
                   const Tensor& constant_values = 0);
/// Pads with zeros. Throws ValueError unless there is one pair per axis.
Tensor pad(const Tensor& x, const PadWidth& pad_width);
/// Keras's pad with a mode. (A template, so that braces are not a string.)
template <std::convertible_to<std::string> S>
Tensor pad(const Tensor& x, const PadWidth& pad_width, const S& mode,
           const Tensor& constant_values = 0) {
  return pad_by_mode(x, pad_width, mode, constant_values);
}

// Repeating and reordering.
/// The whole array, `repeats` times along each axis.
Tensor tile(const Tensor& x, std::vector<int64_t> repeats);
/// Repeats each element along `axis` `count` times.
Tensor repeat(const Tensor& x, int64_t count, int64_t axis);
/// The same of the flattened array.
inline Tensor repeat(const Tensor& x, int64_t count) { return repeat(ravel(x), count, 0); }
/// Rolls the flattened array; the result has the shape of x.
Tensor roll(const Tensor& x, int64_t shift);
Tensor roll(const Tensor& x, int64_t shift, int64_t axis);
Tensor reverse(const Tensor& x, std::vector<int64_t> axes);
/// Reverses along the axes; by default all.
Tensor flip(const Tensor& x, const Axes& axes = {});
Tensor fliplr(const Tensor& x);
Tensor flipud(const Tensor& x);
/// Rotates by k * 90 degrees in the plane of two axes, from the first towards the second.
Tensor rot90(const Tensor& x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1);

// Selecting by index.
/// Result shape: x.shape[:axis] + indices.shape + x.shape[axis+1:]; without an axis, elements of
/// the flattened array. Negative indices count from the end; indices out of range are clamped.
Tensor take(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis = {});
/// For axis 1: out[i][j] = x[i][indices[i][j]]. Other dimensions broadcast. Without an axis, both
/// arrays are flattened.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis = {});

}  // namespace antler::ops
