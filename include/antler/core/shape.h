#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/none.h"

namespace antler {

/// Sizes of the dimensions, outermost first. A dimension of a placeholder (see
/// `Tensor::is_placeholder`) may be `kUnknown`, Keras's None; shapes of values never have one.
class Shape {
 public:
  static constexpr int64_t kUnknown = -1;
  /// A number or None, which is kUnknown.
  struct Dim {
    Dim(int64_t dim) : size(dim) {}  // NOLINT(google-explicit-constructor)
    Dim(NoneType) {}                 // NOLINT(google-explicit-constructor)
    int64_t size = kUnknown;
  };

  Shape() = default;
  Shape(std::initializer_list<Dim> dims);
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
  template <class Iterator>
  Shape(Iterator first, Iterator last) : dims_(first, last) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  /// Size of a dimension; negative axes count from the end. The axis must exist.
  int64_t operator[](int axis) const { return dims_[position(axis)]; }
  int64_t& operator[](int axis) { return dims_[position(axis)]; }
  /// The same; throws ValueError when out of range.
  int64_t dim(int axis) const;
  /// Product of the dimensions; 1 for rank 0. Must be fully known.
  int64_t num_elements() const;
  bool is_known() const;

  const std::vector<int64_t>& dims() const { return dims_; }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }
  /// The rank, like the length of Python's tuple.
  size_t size() const { return dims_.size(); }
  bool empty() const { return dims_.empty(); }
  int64_t back() const { return dims_.back(); }
  void push_back(int64_t dim) { dims_.push_back(dim); }

  /// Row-major strides in elements.
  std::vector<int64_t> strides() const;
  /// As Keras prints it: "(None, 28, 28, 1)", "(3,)", "()".
  std::string str() const;
  /// Writes str().
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape);

  friend bool operator==(const Shape& a, const Shape& b) { return a.dims_ == b.dims_; }

 private:
  size_t position(int axis) const { return static_cast<size_t>(axis < 0 ? axis + rank() : axis); }

  std::vector<int64_t> dims_;
};

/// NumPy broadcasting of two shapes. Throws a ValueError that names both if they are incompatible.
Shape broadcast_shapes(const Shape& a, const Shape& b);

/// Maps a negative axis to [0, rank). Throws a ValueError that names `what` if it is out of range.
int normalize_axis(int64_t axis, int rank, const char* what);

}  // namespace antler
