#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// Operations that make, move and select elements. Axes may be negative.
namespace antler::ops {

Tensor zeros(const Shape& shape, DTypeArg dtype = DType::float32);
Tensor ones(const Shape& shape, DTypeArg dtype = DType::float32);
Tensor full(const Shape& shape, const Tensor& value, DTypeArg dtype);
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor full_like(const Tensor& x, const Tensor& value);
/// start, start + step, ... below stop.
Tensor arange(int64_t start, int64_t stop, int64_t step = 1, DTypeArg dtype = DType::int32);
/// 0, 1, ..., stop - 1, int32.
Tensor arange(int64_t stop);
/// ceil((stop - start) / step) numbers, of which the one behind the last is not below stop.
Tensor arange_floating(double start, double stop, double step, DTypeArg dtype = DType::float32);
template <std::floating_point Step>
Tensor arange(double start, double stop, Step step, DTypeArg dtype = DType::float32) {
  return arange_floating(start, stop, static_cast<double>(step), dtype);
}
/// Element = its index along `axis`.
Tensor iota(const Shape& shape, int axis, DType dtype = DType::int32);
Tensor eye(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DTypeArg dtype = DType::float32);

Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// One dimension may be -1: inferred.
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor transpose(const Tensor& x, std::vector<int64_t> axes = {});
Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2);
Tensor moveaxis(const Tensor& x, int64_t source, int64_t destination);
Tensor expand_dims(const Tensor& x, int64_t axis);
/// Removes dimensions of size 1: those given, else all.
Tensor squeeze(const Tensor& x, std::optional<int64_t> axis = {});
/// x[indices], as Tensor's operator[] gives it.
Tensor get_item(const Tensor& x, const std::vector<Index>& indices);
/// The block of the given sizes from `starts` on, both one for every axis (`keras.ops.slice`); size
/// -1: all that is left. Throws ValueError where it does not lie within `x`.
Tensor slice(const Tensor& x, const std::vector<int64_t>& starts,
             const std::vector<int64_t>& sizes);
/// Elements starts[i], starts[i] + strides[i], ... below limits[i], for every axis i.
Tensor strided_slice(const Tensor& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
                     std::vector<int64_t> strides = {});
/// strided_slice() along one axis.
Tensor slice_axis(const Tensor& x, int64_t axis, int64_t start, int64_t limit, int64_t stride = 1);
/// A block of the given sizes whose corner is the integer vector `starts` [rank]; clamped to fit,
/// as XLA does.
Tensor dynamic_slice(const Tensor& x, const Tensor& starts, std::vector<int64_t> sizes);
/// `x` with `update` written over the block at `starts`.
Tensor dynamic_update_slice(const Tensor& x, const Tensor& update, const Tensor& starts);
/// Adds low[i] / high[i] elements of `value` before / after axis i (negative: removes) and
/// interior[i] between.
Tensor pad(const Tensor& x, std::vector<int64_t> low, std::vector<int64_t> high,
           std::vector<int64_t> interior = {}, const Tensor& value = 0);
Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis = 0);
Tensor stack(const std::vector<Tensor>& xs, int64_t axis = 0);
/// Equal parts along `axis`. Throws ValueError when the size is not divisible.
std::vector<Tensor> split(const Tensor& x, int64_t parts, int64_t axis = 0);
/// Slices along `axis`, that axis removed.
std::vector<Tensor> unstack(const Tensor& x, int64_t axis = 0);
Tensor reverse(const Tensor& x, std::vector<int64_t> axes);
Tensor tile(const Tensor& x, std::vector<int64_t> repeats);
/// Each element along `axis` `count` times in a row.
Tensor repeat(const Tensor& x, int64_t count, int64_t axis);
Tensor roll(const Tensor& x, int64_t shift, int64_t axis);

/// x.shape[:axis] + indices.shape + x.shape[axis+1:]. Indices out of range are clamped; negative
/// ones count from the end (`keras.ops.take`).
Tensor take(const Tensor& x, const Tensor& indices, int64_t axis = 0);
/// out[i][j] = x[i][indices[i][j]] along `axis`; other dimensions are equal.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int64_t axis);
/// indices [..., k] name elements or blocks by their first k coordinates.
Tensor gather_nd(const Tensor& x, const Tensor& indices);

enum class ScatterMode : uint8_t { set, add, mul, max, min };
/// `x` with blocks updates[i] combined in at indices[i] along `axis`; the counterpart of take().
/// Duplicates combine; under `set` the last one wins.
Tensor scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
               int64_t axis = 0);
/// The counterpart of gather_nd().
Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode);
/// [..., depth] with 1 at the index; indices outside give a row of zeros.
Tensor one_hot(const Tensor& indices, int64_t depth, int64_t axis = -1,
               DTypeArg dtype = DType::float32);
/// Lower / upper triangle of the last two dimensions, zeros elsewhere.
Tensor tril(const Tensor& x, int64_t k = 0);
Tensor triu(const Tensor& x, int64_t k = 0);

}  // namespace antler::ops
