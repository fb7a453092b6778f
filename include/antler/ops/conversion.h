#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "antler/core/dtype_arg.h"
#include "antler/core/tensor.h"

/// Tensors of what is none yet, and what a tensor is: keras.ops.convert_to_tensor and its kin.
namespace antler::ops {

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

/// convert_to_tensor() under NumPy's name.
inline Tensor array(const ArrayLiteral& values, std::optional<DTypeArg> dtype = {}) {
  return convert_to_tensor(values, dtype);
}
template <class T>
Tensor array(const T& x, std::optional<DTypeArg> dtype = {}) {
  return convert_to_tensor(x, dtype);
}

/// Zeros: memory is never handed out as it is.
Tensor empty(const Shape& shape, DTypeArg dtype = DType::float32);
Tensor empty_like(const Tensor& x, std::optional<DTypeArg> dtype = {});

inline const Shape& shape(const Tensor& x) { return x.shape(); }
inline int64_t ndim(const Tensor& x) { return x.rank(); }
inline DType dtype(const Tensor& x) { return x.dtype(); }
/// Number of elements. Throws ValueError for a placeholder whose shape is not known.
int64_t size(const Tensor& x);
/// True for what has elements, now or when a traced function runs; false for a placeholder.
inline bool is_tensor(const Tensor& x) { return x.defined() && !x.is_placeholder(); }

}  // namespace antler::ops
