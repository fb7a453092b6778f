#include "antler/core/shape.h"

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "antler/base/error.h"

namespace antler {
namespace {

/// With at most this many elements, the size in bytes fits into int64_t for every dtype.
constexpr int64_t kMaxElements = INT64_MAX / 16;

}  // namespace

Shape::Shape(std::initializer_list<Dim> dims) {
  dims_.reserve(dims.size());
  for (const Dim& dim : dims) dims_.push_back(dim.size);
}

int64_t Shape::dim(int axis) const {
  return dims_[static_cast<size_t>(normalize_axis(axis, rank(), "axis"))];
}

int64_t Shape::num_elements() const {
  int64_t n = 1;
  for (int64_t d : dims_) {
    if (d < 0) throw InternalError("num_elements() of a shape that is not fully known: {}", str());
    if (__builtin_mul_overflow(n, d, &n) || n > kMaxElements) {
      throw ValueError("A tensor of the shape {} would have too many elements.", str());
    }
  }
  return n;
}

bool Shape::is_known() const {
  return std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d >= 0; });
}

std::vector<int64_t> Shape::strides() const {
  std::vector<int64_t> result(dims_.size());
  int64_t stride = 1;
  for (size_t i = dims_.size(); i-- > 0;) {
    result[i] = stride;
    stride *= dims_[i];
  }
  return result;
}

std::string Shape::str() const {
  std::string text = "(";
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (i != 0) text += ", ";
    text += dims_[i] < 0 ? "None" : std::to_string(dims_[i]);
  }
  if (dims_.size() == 1) text += ",";
  return text + ")";
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    const int64_t da = i < rank - a.rank() ? 1 : a[i - (rank - a.rank())];
    const int64_t db = i < rank - b.rank() ? 1 : b[i - (rank - b.rank())];
    if (da != db && da != 1 && db != 1) {
      throw ValueError(
          "Shapes cannot be broadcast together: received {} and {}; expected equal sizes or 1 in "
          "every dimension, counted from the last.",
          a, b);
    }
    dims[static_cast<size_t>(i)] = da == 1 ? db : da;
  }
  return Shape(std::move(dims));
}

int normalize_axis(int64_t axis, int rank, const char* what) {
  if (axis < -rank || axis >= rank) {
    throw ValueError("{} {} is out of range for a tensor of rank {}: expected a value in [{}, {}).",
                     what, axis, rank, -rank, rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

}  // namespace antler
