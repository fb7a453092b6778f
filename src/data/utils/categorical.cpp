#include <algorithm>
#include <cmath>
#include <limits>

#include "antler/base/error.h"
#include "antler/data/utils/arrays.h"

namespace antler::utils {
namespace {

struct Classes {
  std::vector<int64_t> numbers;
  Shape shape;
  int64_t count = 0;
};

Classes classes_of(const char* name, const Tensor& x, std::optional<int64_t> num_classes) {
  Classes c;
  for (const double value : x.to_doubles()) c.numbers.push_back(static_cast<int64_t>(value));
  c.shape = x.shape();
  if (x.rank() > 1 && x.dim(-1) == 1) c.shape = Shape(x.shape().begin(), x.shape().end() - 1);
  if (num_classes.value_or(0) != 0) {
    c.count = *num_classes;
  } else if (c.numbers.empty()) {
    throw ValueError("{}: `num_classes` must be given if `x` is empty.", name);
  } else {
    c.count = *std::max_element(c.numbers.begin(), c.numbers.end()) + 1;
  }
  for (int64_t& number : c.numbers) {
    if (number < -c.count || number >= c.count) {
      throw IndexError("{}: class {} is out of range. Received: num_classes={}", name, number,
                       c.count);
    }
    if (number < 0) number += c.count;
  }
  return c;
}

Tensor rows(const Shape& shape, int64_t width) {
  Shape with = shape;
  with.push_back(width);
  return Tensor::full(DType::float32, with, 0.0);
}

/// The norm of a line; 1 for a line of zeros, so that dividing by it changes nothing.
double norm_of(const std::vector<double>& line, double order) {
  double norm = 0;
  for (const double x : line) {
    const double size = std::abs(x);
    if (std::isinf(order)) {
      norm = std::max(norm, size);
    } else if (order == 0) {
      norm += size != 0 ? 1 : 0;
    } else {
      norm += std::pow(size, order);
    }
  }
  if (!std::isinf(order) && order != 0) norm = std::pow(norm, 1 / order);
  return norm == 0 ? 1 : norm;
}

}  // namespace

Tensor to_categorical(const Tensor& x, std::optional<int64_t> num_classes) {
  const Classes c = classes_of("to_categorical", x, num_classes);
  const Tensor result = rows(c.shape, c.count);
  auto* row = result.mutable_data<float>();
  for (const int64_t number : c.numbers) {
    row[number] = 1;
    row += c.count;
  }
  return result;
}

Tensor to_ordinal(const Tensor& x, std::optional<int64_t> num_classes) {
  const Classes c = classes_of("to_ordinal", x, num_classes);
  const Tensor result = rows(c.shape, c.count - 1);
  auto* row = result.mutable_data<float>();
  for (const int64_t number : c.numbers) {
    std::fill_n(row, number, 1.0F);
    row += c.count - 1;
  }
  return result;
}

Tensor normalize(const Tensor& x, int64_t axis, double order) {
  const int rank = x.rank();
  if (axis < -rank || axis >= rank) {
    throw ValueError("normalize: shape {} has no axis {}.", x.shape(), axis);
  }
  const auto at = static_cast<int>(axis < 0 ? axis + rank : axis);
  int64_t inner = 1;
  for (int i = at + 1; i < rank; ++i) inner *= x.dim(i);
  const int64_t length = x.dim(at);
  const int64_t outer = x.size() / std::max<int64_t>(length * inner, 1);
  std::vector<double> values = x.to_doubles();
  std::vector<double> line(static_cast<size_t>(length));
  for (int64_t i = 0; i < outer * inner; ++i) {
    double* begin = values.data() + (i / inner) * length * inner + i % inner;
    for (int64_t k = 0; k < length; ++k) line[static_cast<size_t>(k)] = begin[k * inner];
    const double norm = norm_of(line, order);
    for (int64_t k = 0; k < length; ++k) begin[k * inner] /= norm;
  }
  if (x.dtype() == DType::float64) return Tensor::of(values, x.shape());
  return Tensor::of(std::vector<float>(values.begin(), values.end()), x.shape());
}

}  // namespace antler::utils
