#include "ops/support.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "ops/families.h"

namespace antler::ops {

void require_defined(const char* op, const Tensor& x) {
  if (!x.defined()) throw ValueError("ops::{}: an argument is an undefined tensor.", op);
}

DType result_dtype(const std::vector<Tensor>& xs) {
  DType dtype = xs.front().dtype();
  bool weak = xs.front().is_weak();
  for (size_t i = 1; i < xs.size(); ++i) {
    dtype = promote_types(dtype, weak, xs[i].dtype(), xs[i].is_weak());
    weak = weak && xs[i].is_weak();
  }
  return dtype;
}

namespace {

/// Wraps around on overflow.
Tensor integer_scalar(int64_t value, DType dtype) {
  Tensor result = Tensor::empty(dtype, {});
  dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) *result.mutable_data<T>() = static_cast<T>(value);
  });
  return result;
}

}  // namespace

Tensor to_dtype(const Tensor& x, DType dtype) {
  if (!x.is_weak() || !x.is_value()) return x.dtype() == dtype ? x : cast(x, dtype);
  // A double cannot hold every 64-bit integer literal.
  if (x.dtype() == DType::int64 && is_integer(dtype)) {
    return integer_scalar(*x.data<int64_t>(), dtype);
  }
  return scalar(is_floating(x.dtype()) ? x.impl()->number : x.item(), dtype);
}

Tensor to_float(const char* op, const Tensor& x) {
  require_defined(op, x);
  return to_dtype(x, is_floating(x.dtype()) ? x.dtype() : default_float());
}

Tensor scalar(double value, DType dtype) {
  if (is_integer(dtype) && std::abs(value) < 0x1p63) {
    return integer_scalar(static_cast<int64_t>(value), dtype);
  }
  return Tensor::full(dtype, {}, value);
}

Tensor filled(double value, DType dtype, const Shape& shape) {
  return broadcast_in_dim(scalar(value, dtype), shape, {});
}

Tensor filled_like(double value, const Tensor& x) { return filled(value, x.dtype(), x.shape()); }

const Shape& known_shape(const char* function, const Tensor& x) {
  require_defined(function, x);
  if (x.shape().is_known()) return x.shape();
  throw ValueError(
      "ops::{}: all sizes of `x` must be known. Received: x.shape={}. Put the computation into the "
      "`call` of a layer instead.",
      function, x.shape());
}

Shape broadcast_shape(const char* op, const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    const int64_t da = i < rank - a.rank() ? 1 : a[i - (rank - a.rank())];
    const int64_t db = i < rank - b.rank() ? 1 : b[i - (rank - b.rank())];
    int64_t& d = dims[static_cast<size_t>(i)];
    if (da == db || db == 1 || (db == Shape::kUnknown && da != 1)) {
      d = da;
    } else if (da == 1 || da == Shape::kUnknown) {
      d = db;
    } else {
      throw ValueError(
          "ops::{}: operands could not be broadcast together. Received shapes {} and {}; expected "
          "equal sizes or 1 in every dimension, counted from the last.",
          op, a, b);
    }
  }
  return Shape(std::move(dims));
}

Tensor broadcast_in_dim(const Tensor& x, const Shape& shape, const ir::Ints& dims) {
  if (x.shape() == shape) return x;
  return ir::emit_one(kBroadcast, {x}, {{"shape", shape.dims()}, {"dims", dims}});
}

Tensor expand_to(const Tensor& x, const Shape& shape) {
  ir::Ints dims(static_cast<size_t>(x.rank()));
  std::iota(dims.begin(), dims.end(), shape.rank() - x.rank());
  return broadcast_in_dim(x, shape, dims);
}

Tensor expand_operand(const Tensor& x, const Shape& shape) {
  return shape.is_known() ? expand_to(x, shape) : x;
}

Operands promote_to(const char* op, const Tensor& x, const Tensor& y, DType dtype) {
  require_defined(op, x);
  require_defined(op, y);
  const Shape shape = broadcast_shape(op, x.shape(), y.shape());
  return {expand_operand(to_dtype(x, dtype), shape), expand_operand(to_dtype(y, dtype), shape)};
}

Operands promote(const char* op, const Tensor& x, const Tensor& y) {
  require_defined(op, x);
  require_defined(op, y);
  return promote_to(op, x, y, result_dtype({x, y}));
}

int normalize_axis_of(const char* op, int64_t axis, int rank) {
  return normalize_axis(axis, rank, format("ops::{}: axis", op).c_str());
}

ir::Ints normalize_axes(const char* op, const std::vector<int64_t>& axes, int rank) {
  ir::Ints result;
  if (axes.empty()) {
    result.resize(static_cast<size_t>(rank));
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  for (int64_t axis : axes) result.push_back(normalize_axis_of(op, axis, rank));
  std::sort(result.begin(), result.end());
  if (const auto twice = std::adjacent_find(result.begin(), result.end()); twice != result.end()) {
    throw ValueError("ops::{}: axis {} is given twice; expected distinct axes.", op, *twice);
  }
  return result;
}

ir::Ints other_axes(const ir::Ints& axes, int rank) {
  ir::Ints result;
  for (int64_t i = 0; i < rank; ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) result.push_back(i);
  }
  return result;
}

std::string spec_str(const TensorSpec& spec) {
  return format("{} {}", dtype_name(spec.dtype), spec.shape);
}

}  // namespace antler::ops
