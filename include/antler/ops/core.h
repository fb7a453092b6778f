#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// keras.ops.core: conversion to tensors and between dtypes, slices, gather and scatter.
/// Control flow is in control_flow.h.
namespace antler::ops {

// What a tensor is.
inline const Shape& shape(const Tensor& x) { return x.shape(); }
inline int64_t ndim(const Tensor& x) { return x.rank(); }
inline DType dtype(const Tensor& x) { return x.dtype(); }
/// Number of elements. Throws ValueError for a placeholder whose shape is not known.
int64_t size(const Tensor& x);
/// True for what has elements, now or when a traced function runs; false for a placeholder.
inline bool is_tensor(const Tensor& x) { return x.defined() && !x.is_placeholder(); }

// Conversion.
/// Numbers in braces, as deep as Python's lists: `{1, 2}`, `{{1, 2.5}, {3, 4}}`. float32 where one
/// of them has a point, else int32 (int64 where one is; exact up to 2^53), else bool.
class ArrayLiteral {
 public:
  template <std::floating_point T>
  ArrayLiteral(T number)  // NOLINT(google-explicit-constructor)
      : dtype_(DType::float32), values_{static_cast<double>(number)} {}
  template <std::integral T>
  ArrayLiteral(T number)  // NOLINT(google-explicit-constructor)
      : dtype_(std::same_as<T, bool>         ? DType::boolean
               : sizeof(T) > sizeof(int32_t) ? DType::int64
                                             : DType::int32),
        values_{static_cast<double>(number)} {}
  /// Throws ValueError for parts of different shapes.
  ArrayLiteral(std::initializer_list<ArrayLiteral> parts);

  Tensor tensor() const;

 private:
  DType dtype_;
  Shape shape_;
  std::vector<double> values_;
};
/// The same tensor, converted to `dtype` where one is given. A C++ number becomes a float32, int32
/// or bool.
Tensor to_tensor(const Tensor& x, std::optional<DTypeArg> dtype = {});
Tensor convert_to_tensor(const ArrayLiteral& values, std::optional<DTypeArg> dtype = {});
/// Of a tensor, a variable, a number. (A template, so that braces are an ArrayLiteral.)
template <std::convertible_to<Tensor> T>
Tensor convert_to_tensor(const T& x, std::optional<DTypeArg> dtype = {}) {
  return to_tensor(static_cast<Tensor>(x), dtype);
}
/// Of numbers, or rows of numbers, of their dtype.
template <class T>
Tensor convert_to_tensor(const std::vector<T>& values, std::optional<DTypeArg> dtype = {}) {
  return to_tensor(Tensor::of(values), dtype);
}
/// Of tensors of one shape: along a new first axis.
Tensor convert_to_tensor(const std::vector<Tensor>& parts, std::optional<DTypeArg> dtype = {});
/// Converts elements; float to integer truncates, anything to bool is `!= 0`.
Tensor cast(const Tensor& x, DTypeArg dtype);
/// cast() of what was limited to the numbers of `dtype`.
Tensor saturate_cast(const Tensor& x, DType dtype);
/// Reinterprets the bytes; sizes must be equal.
Tensor bitcast(const Tensor& x, DType dtype);
/// The bytes read as another dtype of the same size (NumPy's view); wider and narrower ones change
/// the last dimension. Throws ValueError where its size does not allow it.
Tensor view(const Tensor& x, DType dtype);
/// The same value, of which no gradient flows back.
Tensor stop_gradient(const Tensor& x);

// Slices.
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
/// `x` with `updates` written over the block at `start` (slice_update), or combined in at
/// `indices` [..., k] (scatter_update).
Tensor slice_update(const Tensor& x, const Tensor& start, const Tensor& updates);
/// Slices along `axis`, that axis removed.
std::vector<Tensor> unstack(const Tensor& x, int64_t axis = 0);

// Gather and scatter.
/// indices [..., k] name elements or blocks by their first k coordinates.
Tensor gather_nd(const Tensor& x, const Tensor& indices);
enum class ScatterMode : uint8_t { set, add, mul, max, min };
/// `x` with blocks updates[i] combined in at indices[i] along `axis`; the counterpart of take().
/// Duplicates combine; under `set` the last one wins.
Tensor scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
               int64_t axis = 0);
/// The counterpart of gather_nd().
Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode);
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates,
                      ScatterMode mode = ScatterMode::set);

}  // namespace antler::ops
