#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/axes.h"
#include "antler/ops/shape.h"

/// Functions of keras.ops that make arrays, join and part them, and turn them round: formulas of
/// those in shape.h. Sizes that they need must be known (ValueError for a placeholder's unknown
/// ones).
namespace antler::ops {

// Grids of numbers.
/// `num` numbers from start to stop, the last one included where `endpoint`; of arrays along a new
/// `axis`. `dtype` is that of start and stop, float32 for integers.
Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                std::optional<DType> dtype = {}, int64_t axis = 0);
/// The distance between two of them (Keras's `retstep`); NaN where there are not two.
Tensor linspace_step(const Tensor& start, const Tensor& stop, int64_t num = 50,
                     bool endpoint = true);
/// base^linspace(start, stop).
Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                double base = 10, std::optional<DType> dtype = {}, int64_t axis = 0);
/// Numbers of equal ratio from start to stop, which have one sign.
Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                 std::optional<DType> dtype = {}, int64_t axis = 0);
/// Coordinates of a grid: vector i of `xs` along axis i ("ij"), or the first two exchanged ("xy").
std::vector<Tensor> meshgrid(const std::vector<Tensor>& xs, const std::string& indexing = "xy");
/// Coordinates of flat indices in an array of `shape`, one tensor for each dimension.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

// Matrices.
Tensor identity(int64_t n, DType dtype = DType::float32);
/// 1 on and below diagonal k, [rows, columns].
Tensor tri(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DType dtype = DType::float32);
/// The matrix with the vector `x` on diagonal k; of a matrix, that diagonal.
Tensor diag(const Tensor& x, int64_t k = 0);
Tensor diagflat(const Tensor& x, int64_t k = 0);
/// Diagonals of the planes of two axes, as the last dimension.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// Sums of diagonal().
Tensor trace(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// Powers n-1, ..., 1, 0 of the vector `x` as columns (`increasing`: 0, 1, ...); n is its size
/// where not given.
Tensor vander(const Tensor& x, std::optional<int64_t> n = {}, bool increasing = false);

// Windows of `length` samples, symmetric; float32.
Tensor bartlett(int64_t length);
Tensor blackman(int64_t length);
Tensor hamming(int64_t length);
Tensor hanning(int64_t length);
Tensor kaiser(int64_t length, double beta);

// Joining and parting.
Tensor append(const Tensor& x, const Tensor& y, std::optional<int64_t> axis = {});
Tensor hstack(const std::vector<Tensor>& xs);
Tensor vstack(const std::vector<Tensor>& xs);
Tensor dstack(const std::vector<Tensor>& xs);
/// What lies between the indices; split(x, parts, axis) gives equal parts. (`{2}` would be a number
/// of parts: write std::vector<int64_t>{2}.)
std::vector<Tensor> split(const Tensor& x, const std::vector<int64_t>& indices, int64_t axis = 0);
/// Parts whose sizes differ by one at most, larger ones first.
std::vector<Tensor> array_split(const Tensor& x, int64_t parts, int64_t axis = 0);
std::vector<Tensor> array_split(const Tensor& x, const std::vector<int64_t>& indices,
                                int64_t axis = 0);
/// split() along axis 1 (0 of a vector), 0, and 2.
std::vector<Tensor> hsplit(const Tensor& x, int64_t parts);
std::vector<Tensor> hsplit(const Tensor& x, const std::vector<int64_t>& indices);
std::vector<Tensor> vsplit(const Tensor& x, int64_t parts);
std::vector<Tensor> vsplit(const Tensor& x, const std::vector<int64_t>& indices);
std::vector<Tensor> dsplit(const Tensor& x, int64_t parts);
std::vector<Tensor> dsplit(const Tensor& x, const std::vector<int64_t>& indices);

/// Mirrored at the ends: Keras's pad with mode "reflect", which leaves the last element out
/// (dcb|abcd|cba), or "symmetric" (dcba|abcd|dcba); again and again where more is asked for than
/// there is. Throws ValueError for another mode, negative numbers, and where there is nothing to
/// mirror.
Tensor pad_mirrored(const Tensor& x, const std::vector<int64_t>& low,
                    const std::vector<int64_t>& high, const std::string& mode);

/// Field type of `pad_width`: elements before and behind each axis, `{{1, 1}, {0, 0}}`.
struct PadWidth {
  PadWidth(std::initializer_list<std::pair<int64_t, int64_t>> pairs) : axes(pairs) {}
  PadWidth(std::vector<std::pair<int64_t, int64_t>> pairs)  // NOLINT(google-explicit-constructor)
      : axes(std::move(pairs)) {}
  std::vector<std::pair<int64_t, int64_t>> axes;
};
/// Keras's pad, with zeros. Throws ValueError unless there is a pair for each axis.
Tensor pad(const Tensor& x, const PadWidth& pad_width);
/// `mode` is "constant", of `constant_values`, or one of pad_mirrored().
Tensor pad_by_mode(const Tensor& x, const PadWidth& pad_width, const std::string& mode,
                   const Tensor& constant_values = 0);
/// (A template, so that braces are no text.)
template <std::convertible_to<std::string> S>
Tensor pad(const Tensor& x, const PadWidth& pad_width, const S& mode,
           const Tensor& constant_values = 0) {
  return pad_by_mode(x, pad_width, mode, constant_values);
}

// Turning round.
/// Reversed along the axes, all of them where none is given.
Tensor flip(const Tensor& x, const Axes& axes = {});
Tensor fliplr(const Tensor& x);
Tensor flipud(const Tensor& x);
/// Turned by k * 90 degrees in the plane of two axes, from the first towards the second.
Tensor rot90(const Tensor& x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1);
Tensor ravel(const Tensor& x);
/// All elements in one row, rolled.
Tensor roll(const Tensor& x, int64_t shift);
/// Differences of neighbours along `axis`, n times; of booleans, whether they differ.
Tensor diff(const Tensor& x, int64_t n = 1, int64_t axis = -1);

/// Overlapping stretches of the last axis: [..., 1 + (size - length) / stride, length].
Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride);

/// Einops's rearrange: "b (h w) c -> b c h w" with the sizes that the shape does not tell
/// ({{"h", 4}}). Throws ValueError.
Tensor rearrange(const Tensor& x, const std::string& pattern,
                 const std::vector<std::pair<std::string, int64_t>>& sizes = {});

/// `x` with `updates` written over the block at `start` (slice_update), or combined in at
/// `indices` [..., k] (scatter_update).
Tensor slice_update(const Tensor& x, const Tensor& start, const Tensor& updates);
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates,
                      ScatterMode mode = ScatterMode::set);

}  // namespace antler::ops
