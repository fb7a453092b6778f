#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "antler/core/array_literal.h"
#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"
#include "antler/core/tensor_parts.h"

/// keras.ops.core: conversion to tensors and between dtypes, slices, gather and scatter. Control
/// flow is in control_flow.h.
namespace antler::ops {

// Properties.
inline const Shape& shape(const Tensor& x) { return x.shape(); }  ///< -1 for unknown dimensions
inline int64_t ndim(const Tensor& x) { return x.rank(); }         ///< number of dimensions
inline DType dtype(const Tensor& x) { return x.dtype(); }         ///< type of the elements
/// Number of elements. Throws ValueError for a placeholder with unknown dimensions.
int64_t size(const Tensor& x);
/// False for an undefined tensor and for a placeholder of a functional model.
inline bool is_tensor(const Tensor& x) { return x.defined() && !x.is_placeholder(); }

// Conversion.
/// The tensor itself, converted to `dtype` if given. A C++ number becomes default_float(),
/// int32 or bool.
Tensor to_tensor(const Tensor& x, std::optional<DTypeArg> dtype = {});
Tensor convert_to_tensor(const ArrayLiteral& values, std::optional<DTypeArg> dtype = {});
/// From a tensor, a variable or a number. (A template, so that braces convert to an ArrayLiteral.)
template <std::convertible_to<Tensor> T>
Tensor convert_to_tensor(const T& x, std::optional<DTypeArg> dtype = {}) {
  return to_tensor(static_cast<Tensor>(x), dtype);
}
/// From numbers or rows of numbers, with their dtype.
template <class T>
requires(!std::same_as<T, Tensor>) Tensor
    convert_to_tensor(const std::vector<T>& values, std::optional<DTypeArg> dtype = {}) {
  return to_tensor(Tensor::of(values), dtype);
}
Tensor stack_to_tensor(const std::vector<Tensor>& parts, std::optional<DTypeArg> dtype);
/// Stacks tensors of the same shape along a new first axis. (A template, so that numbers in braces
/// convert to an ArrayLiteral.)
template <class Parts = std::vector<Tensor>>
Tensor convert_to_tensor(const std::type_identity_t<Parts>& parts,
                         std::optional<DTypeArg> dtype = {}) {
  return stack_to_tensor(parts, dtype);
}
/// Converts elements. Float to integer truncates; anything to bool is `x != 0`.
Tensor cast(const Tensor& x, DTypeArg dtype);
/// cast() after clipping to the range of `dtype`.
Tensor saturate_cast(const Tensor& x, DTypeArg dtype);
/// Reinterprets the bytes as another dtype of the same size.
Tensor bitcast(const Tensor& x, DType dtype);
/// NumPy's view: reinterprets the bytes. A wider or narrower dtype changes the last dimension.
/// Throws ValueError if the last dimension is not divisible.
Tensor view(const Tensor& x, DTypeArg dtype);
/// `x`, but no gradient flows through it.
Tensor stop_gradient(const Tensor& x);

// Slices.
/// The same as `x[indices]`.
Tensor get_item(const Tensor& x, const std::vector<Index>& indices);
/// The block of the given sizes at `starts`, one of each per axis (`keras.ops.slice`). Size -1
/// means up to the end. Throws ValueError if the block does not lie within `x`.
Tensor slice(const Tensor& x, const std::vector<int64_t>& starts,
             const std::vector<int64_t>& sizes);
/// Elements starts[i], starts[i] + strides[i], ... below limits[i] of each axis i.
Tensor strided_slice(const Tensor& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
                     std::vector<int64_t> strides = {});
/// strided_slice() along one axis.
Tensor slice_axis(const Tensor& x, int64_t axis, int64_t start, int64_t limit, int64_t stride = 1);
/// The block of the given sizes at the integer vector `starts` [rank]. `starts` is clamped so that
/// the block fits, as in XLA.
Tensor dynamic_slice(const Tensor& x, const Tensor& starts, std::vector<int64_t> sizes);
/// Replaces the block at `starts` by `update`.
Tensor dynamic_update_slice(const Tensor& x, const Tensor& update, const Tensor& starts);
/// dynamic_update_slice() under Keras's name.
Tensor slice_update(const Tensor& x, const Tensor& start, const Tensor& updates);
/// Slices along `axis`, with that axis removed.
TensorParts unstack(const Tensor& x, int64_t axis = 0);

// Gather and scatter.
/// Elements or blocks of `x`. indices [..., k] hold the first k coordinates of each.
Tensor gather_nd(const Tensor& x, const Tensor& indices);
enum class ScatterMode : uint8_t { set, add, mul, max, min };
/// Combines updates[i] into `x` at indices[i] along `axis`: the counterpart of take(). Duplicate
/// indices combine; with `set` the last one wins.
Tensor scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
               int64_t axis = 0);
/// Keras's scatter(): zeros of `shape`, to which values[i] is added at indices[i], the first k
/// coordinates of a position or block. indices [..., k] integers, values [..., shape[k:]]. Throws
/// ValueError if the shapes do not match.
Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape);
/// The counterpart of gather_nd().
Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode);
/// scatter_nd() under Keras's name.
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates,
                      ScatterMode mode = ScatterMode::set);

}  // namespace antler::ops
