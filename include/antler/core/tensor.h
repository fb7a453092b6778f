#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/array_literal.h"
#include "antler/core/dtype.h"
#include "antler/core/dtype_arg.h"
#include "antler/core/index.h"
#include "antler/core/shape.h"

namespace antler {

/// Bytes of a tensor, 64-byte aligned, shared by handles.
class Buffer {
 public:
  /// Uninitialized memory.
  static std::shared_ptr<Buffer> allocate(size_t bytes);
  /// Memory that `owner` owns; it is kept alive with the buffer.
  static std::shared_ptr<Buffer> borrow(void* data, size_t bytes, std::shared_ptr<void> owner);

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  Buffer(void* data, size_t bytes, std::shared_ptr<void> owner, bool owned);
  void* data_;
  size_t bytes_;
  std::shared_ptr<void> owner_;
  bool owned_;
};

/// dtype and shape of a value.
struct TensorSpec {
  DType dtype = DType::float32;
  Shape shape;
  /// Of all elements. The shape must be known.
  int64_t num_bytes() const {
    return shape.num_elements() * static_cast<int64_t>(dtype_size(dtype));
  }
  friend bool operator==(const TensorSpec& a, const TensorSpec& b) = default;
};

class Tensor;

/// The object that a Tensor handle points to. It is one of:
///  - value: `buffer` holds the elements, row-major and contiguous;
///  - traced: `trace` and `value_id` name a value of the graph that is being traced;
///  - placeholder: `placeholder` belongs to the layer graph of a functional model (shape may have
///  unknown dimensions).
struct TensorImpl {
  DType dtype = DType::float32;
  bool weak = false;  ///< made from a C++ number: see promote_types
  double number = 0;  ///< if weak and floating: that number; `buffer` holds it as float32
  Shape shape;
  std::shared_ptr<Buffer> buffer;
  uint64_t trace = 0;  ///< id of the tracer that owns the value; 0 = not traced
  int32_t value_id = -1;
  std::shared_ptr<void> placeholder;
  std::shared_ptr<void> annotation;  ///< for higher layers, e.g. the mask that a tensor carries
  uint64_t id = 0;                   ///< unique in the process
};

/// A handle to an n-dimensional array: copies are cheap and refer to the same array. Values are
/// immutable.
class Tensor {
 public:
  /// Undefined; `defined()` is false.
  Tensor() = default;
  /// A weak scalar: takes the dtype of what it is combined with.
  Tensor(
      double value);  // NOLINT(google-explicit-constructor): numbers stand for tensors, as in Keras
  Tensor(float value);                       // NOLINT(google-explicit-constructor)
  Tensor(int value);                         // NOLINT(google-explicit-constructor)
  Tensor(int64_t value);                     // NOLINT(google-explicit-constructor)
  template <std::same_as<bool> B>            // not for types that only convert to bool
  Tensor(B value) : Tensor(truth(value)) {}  // NOLINT(google-explicit-constructor)
  explicit Tensor(std::shared_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}
  /// Numbers in nested braces, Python's nested lists: `Tensor x = {{1, 2.5}, {3, 4}}`. See
  /// ArrayLiteral for the dtype. Throws ValueError for rows of different lengths.
  Tensor(std::initializer_list<ArrayLiteral> parts);
  /// The same with a dtype: `Tensor({{1, 2}}, "float32")`.
  template <std::convertible_to<DTypeArg> D>
  Tensor(std::initializer_list<ArrayLiteral> parts, const D& dtype)
      : Tensor(converted(parts, DTypeArg(dtype))) {}
  /// The same as `of()`: a vector of numbers, or of rows of numbers, with their dtype.
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(
      const std::vector<T>& values)  // NOLINT(google-explicit-constructor): as numbers do
      : Tensor(of(values)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(
      const std::vector<std::vector<T>>& rows)  // NOLINT(google-explicit-constructor)
      : Tensor(of(rows)) {}
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(const std::vector<T>& values, const Shape& shape)
      : Tensor(of(values, shape)) {}
  /// string_handles() of strings, one axis. (A template, so that braces do not convert to strings.)
  template <std::same_as<std::string> S>
  explicit Tensor(const std::vector<S>& strings)
      : Tensor(of_strings(strings, {static_cast<int64_t>(strings.size())})) {}
  /// `Tensor words = {"a", "b"}`: the same.
  template <std::same_as<const char*> S>
  Tensor(std::initializer_list<S> strings)
      : Tensor(std::vector<std::string>(strings.begin(), strings.end())) {}
  /// The same in another shape. Throws ValueError if their number does not match it.
  template <std::same_as<std::string> S>
  Tensor(const std::vector<S>& strings, const Shape& shape) : Tensor(of_strings(strings, shape)) {}

  /// A value in an existing buffer, row-major. Throws ValueError if the buffer is too small.
  static Tensor from_buffer(TensorSpec spec, std::shared_ptr<Buffer> buffer);
  /// A new value with uninitialized elements; fill it through `mutable_data` before sharing it.
  static Tensor empty(DType dtype, const Shape& shape);
  /// dtype and shape without elements: neither value, nor traced, nor placeholder. Describes an
  /// argument that does not exist yet.
  static Tensor spec_only(TensorSpec spec);
  static Tensor zeros(DType dtype, const Shape& shape);
  /// A strong (not weak) scalar or filled array of `dtype`.
  static Tensor full(DType dtype, const Shape& shape, double value);
  /// Copies `values` (row-major). Throws ValueError if their number does not match `shape`.
  template <class T>
  static Tensor of(const std::vector<T>& values, const Shape& shape);
  template <class T>
  static Tensor of(const std::vector<T>& values) {
    return of(values, Shape{static_cast<int64_t>(values.size())});
  }
  /// From values in braces, with the dtype of the numbers or of T: `Tensor::of({{1, 2}, {3, 4}})`
  /// is int32, `Tensor::of<float>({0.5, 1})` is float32. Throws ValueError for rows of different
  /// lengths.
  template <class T>
  static Tensor of(std::initializer_list<T> values) {
    return of(std::vector<T>(values));
  }
  template <class T>
  static Tensor of(std::initializer_list<std::initializer_list<T>> rows) {
    return of_rows<T>(rows);
  }
  template <class T>
  static Tensor of(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes) {
    std::vector<Tensor> parts;
    parts.reserve(planes.size());
    for (const auto& rows : planes) parts.push_back(of_rows<T>(rows));
    return of_parts(parts);
  }
  template <class T>
  static Tensor of(const std::vector<std::vector<T>>& rows) {
    return of_rows<T>(rows);
  }

  bool defined() const { return impl_ != nullptr; }
  /// This tensor. A Nest has the same, so a result can be used without knowing which of them it is.
  const Tensor& tensor() const& { return *this; }
  Tensor tensor() && { return std::move(*this); }
  DType dtype() const { return impl_->dtype; }
  const Shape& shape() const { return impl_->shape; }
  TensorSpec spec() const { return {impl_->dtype, impl_->shape}; }
  int rank() const { return impl_->shape.rank(); }
  int64_t dim(int axis) const { return impl_->shape.dim(axis); }
  int64_t size() const { return impl_->shape.num_elements(); }
  size_t bytes() const { return static_cast<size_t>(size()) * dtype_size(dtype()); }
  bool is_weak() const { return impl_->weak; }
  uint64_t id() const { return impl_->id; }

  /// Holds elements (not traced, not a placeholder).
  bool is_value() const { return impl_ && impl_->buffer != nullptr; }
  bool is_traced() const { return impl_ && impl_->trace != 0; }
  /// Part of a functional model's layer graph: has dtype and shape only.
  bool is_placeholder() const { return impl_ && impl_->placeholder != nullptr; }

  /// Raw elements. Throws RuntimeError unless `is_value()`.
  const void* data() const;
  void* mutable_data() const;
  /// Typed elements; T must be the C++ type of dtype(). Throws TypeError otherwise.
  template <class T>
  const T* data() const;
  template <class T>
  T* mutable_data() const;
  /// All elements converted to double, whatever the dtype.
  std::vector<double> to_doubles() const;
  /// The only element of a one-element tensor. Throws ValueError for other sizes.
  double item() const;
  /// The same as a number of another type: `ops::argmax(p).item<int64_t>()`.
  template <class T>
  T item() const {
    return static_cast<T>(item());
  }
  /// The same as a number of another type: `float(loss)`.
  template <class T>
  requires(std::integral<T> || std::floating_point<T>) explicit operator T() const {
    return static_cast<T>(item());
  }
  /// Whether the only element is not zero: `if (ops::all(a == b))`. Throws ValueError for other
  /// sizes, as NumPy does. (To find out whether there is a tensor, use defined().)
  explicit operator bool() const { return truth_value(); }

  /// Part of the tensor, as in NumPy: `x[0]`, `x[Slice(10)]`, `x[{Slice(), -1}]`, which is
  /// `x[:, -1]`; remaining axes stay whole. This is the op ops::get_item: it can be traced,
  /// differentiated and used on placeholders. Throws IndexError for a number beyond its axis,
  /// ValueError for more entries than axes.
  Tensor operator[](const Index& index) const;
  Tensor operator[](std::initializer_list<Index> indices) const;
  /// Does not compile; the message says what to write instead.
  template <size_t N, class T = void>
  std::array<Tensor, N> unpack() const {
    static_assert(
        !std::is_void_v<T>,
        "A tensor has no parts to unpack. A layer or model gives its outputs as a Nest if "
        "its input is one: `auto [y, h, c] = lstm(Nest(x)).unpack<3>()`.");
    return {};
  }
  /// The rows with these numbers, `x[permutation]`, or the rows where a mask of one axis is true,
  /// `x[labels == 1]`. The number of rows must be known, so a mask cannot be traced (ValueError).
  template <std::same_as<Tensor> T>
  Tensor operator[](const T& rows) const {
    return select(rows);
  }
  /// ops::reshape and ops::cast as members, as in NumPy; a size of -1 is inferred.
  Tensor reshape(const Shape& shape) const;
  Tensor astype(DTypeArg dtype) const;
  /// Copies the elements out; T must match dtype(), or be std::string for strings.
  template <class T>
  std::vector<T> to_vector() const {
    if constexpr (std::same_as<T, std::string>) {
      return strings();
    } else {
      const T* p = data<T>();
      return std::vector<T>(p, p + size());
    }
  }
  /// "Tensor(float32, shape=(2, 3))", with the values if they are few. Short, for messages.
  std::string str() const;

  /// Writes the values as NumPy does, with shape and dtype. If there are more than 1000 elements,
  /// writes only 3 at each edge. A symbolic tensor is written as str().
  friend std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

  const std::shared_ptr<TensorImpl>& impl() const { return impl_; }

 private:
  static Tensor truth(bool value);
  static Tensor converted(std::initializer_list<ArrayLiteral> parts, DType dtype);
  static Tensor of_strings(const std::vector<std::string>& strings, const Shape& shape);
  bool truth_value() const;
  Tensor select(const Tensor& rows) const;
  std::vector<std::string> strings() const;
  /// Stacks the parts along a new first axis. Throws ValueError if their shapes differ.
  static Tensor of_parts(const std::vector<Tensor>& parts);
  template <class T, class Rows>
  static Tensor of_rows(const Rows& rows) {
    std::vector<Tensor> parts;
    parts.reserve(rows.size());
    for (const auto& row : rows) parts.push_back(of(std::vector<T>(row)));
    return of_parts(parts);
  }
  std::shared_ptr<TensorImpl> impl_;
};

using Tensors = std::vector<Tensor>;

/// A fresh id for TensorImpl::id and the like.
uint64_t next_unique_id();

}  // namespace antler
