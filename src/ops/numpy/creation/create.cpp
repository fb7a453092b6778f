#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/ceil_div.h"
#include "ops/movement_ops.h"
#include "ops/recorded_call.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_iota(const ir::InferArgs& args) {
  const Shape shape(args.attrs.ints("shape"));
  const int64_t axis = args.attrs.integer("axis");
  const DType dtype = args.attrs.dtype("dtype");
  if (axis < 0 || axis >= shape.rank() || !shape.is_known()) {
    throw ValueError("ops::iota: axis {} is out of range for an array of shape {}.", axis, shape);
  }
  if (dtype == DType::boolean) throw TypeError("ops::iota: dtype must be numeric. Received: bool");
  return {{dtype, shape}};
}

void reference_iota(const ir::ReferenceArgs& args) {
  const Tensor& out = args.outputs[0];
  std::vector<int64_t> count_axis(static_cast<size_t>(out.rank()), 0);
  count_axis[static_cast<size_t>(args.attrs.integer("axis"))] = 1;
  dispatch(out.dtype(), [&]<class T>() {
    T* p = out.mutable_data<T>();
    for_each_position(out.shape(), 0, count_axis, [&](int64_t i, int64_t index) {
      p[i] = static_cast<T>(static_cast<ComputeType<T>>(index));
    });
  });
}

/// int32, or int64 if int32 cannot represent `largest`.
DType index_dtype(int64_t largest) {
  return largest > std::numeric_limits<int32_t>::max() ? DType::int64 : DType::int32;
}

/// Boolean [.., rows, columns]: column - row compared with k by `keep`.
Tensor triangle(const Shape& shape, int64_t k, Tensor (*keep)(const Tensor&, const Tensor&)) {
  const int rank = shape.rank();
  const Tensor row = iota(shape, rank - 2);
  const Tensor column = iota(shape, rank - 1);
  return keep(column, add(row, Tensor(k)));
}

Tensor keep_triangle(const char* op, const Tensor& x, int64_t k,
                     Tensor (*keep)(const Tensor&, const Tensor&)) {
  require_defined(op, x);
  if (x.rank() < 2) {
    throw ValueError("ops::{}: expected at least two dimensions. Received: x.shape={}", op,
                     x.shape());
  }
  const Shape matrix{x.dim(-2), x.dim(-1)};
  return where(triangle(matrix, k, keep), x, zeros_like(x));
}

}  // namespace

const ir::OpDef kIota = {.name = "iota",
                         .op_class = ir::OpClass::source,
                         .infer = infer_iota,
                         .reference = reference_iota,
                         .no_gradient = true};

Tensor iota(const Shape& shape, int axis, DType dtype) {
  const int64_t a = normalize_axis_of("iota", axis, shape.rank());
  return ir::emit_one(kIota, {}, {{"shape", shape.dims()}, {"axis", a}, {"dtype", dtype}});
}

Tensor full(const Shape& shape, const Tensor& value, const CreationOptions& options) {
  require_defined("full", value);
  return broadcast_to(to_dtype(value, options.dtype), shape);
}

Tensor zeros(const Shape& shape, const CreationOptions& options) {
  return filled(0, options.dtype, shape);
}
Tensor ones(const Shape& shape, const CreationOptions& options) {
  return filled(1, options.dtype, shape);
}
Tensor zeros_like(const Tensor& x) {
  require_defined("zeros_like", x);
  return zeros(x.shape(), x.dtype());
}
Tensor ones_like(const Tensor& x) {
  require_defined("ones_like", x);
  return ones(x.shape(), x.dtype());
}
Tensor full_like(const Tensor& x, const Tensor& value) {
  require_defined("full_like", x);
  return full(x.shape(), value, x.dtype());
}

Tensor arange(int64_t start, int64_t stop, int64_t step, const ArangeOptions& options) {
  if (step == 0) throw ValueError("ops::arange: step must not be 0.");
  const int64_t distance = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  const int64_t count = distance <= 0 ? 0 : ceil_div(distance, stride);
  const DType dtype = options.dtype.value_or(DType::int32);
  // Counts in integers, so that a narrow float dtype rounds only once.
  const int64_t largest = std::max({std::abs(start), std::abs(stop), stride});
  const DType counter = is_integer(dtype) ? dtype : index_dtype(largest);
  Tensor result = iota(Shape{count}, 0, counter);
  if (step != 1) result = multiply(result, Tensor(step));
  if (start != 0) result = add(result, Tensor(start));
  return cast(result, dtype);
}

Tensor arange(int64_t start, int64_t stop, const ArangeOptions& options) {
  return arange(start, stop, 1, options);
}

Tensor arange(int64_t stop, const ArangeOptions& options) { return arange(0, stop, 1, options); }

Tensor arange_floating(double start, double stop, double step, const ArangeOptions& options) {
  if (step == 0 || !std::isfinite(step) || !std::isfinite(stop - start)) {
    throw ValueError(
        "ops::arange: numbers must be finite and step must not be 0. Received: start={}, stop={}, "
        "step={}",
        start, stop, step);
  }
  const auto count = static_cast<int64_t>(std::max(0.0, std::ceil((stop - start) / step)));
  const DType dtype = options.dtype.value_or(default_float());
  const DType computed = is_floating(dtype) ? dtype : default_float();
  const Tensor steps = multiply(iota(Shape{count}, 0, computed), Tensor(step));
  return cast(add(steps, Tensor(start)), dtype);
}

Tensor eye(int64_t rows, std::optional<int64_t> columns, int64_t k, DTypeArg dtype) {
  return cast(triangle(Shape{rows, columns.value_or(rows)}, k, equal), dtype);
}

Tensor one_hot(const Tensor& indices, int64_t num_classes, const OneHotOptions& options) {
  require_defined("one_hot", indices);
  if (num_classes < 0) {
    throw ValueError("ops::one_hot: `num_classes` must not be negative. Received: num_classes={}",
                     num_classes);
  }
  if (!is_integer(indices.dtype()) && indices.dtype() != DType::boolean) {
    throw TypeError("ops::one_hot: indices must be integers. Received: {}",
                    dtype_name(indices.dtype()));
  }
  if (has_unknown_size(indices)) {
    return record_call("OneHot", indices,
                       {{"num_classes", num_classes},
                        {"axis", options.axis},
                        {"dtype", dtype_name(options.dtype)}})[0];
  }
  const int a = normalize_axis_of("one_hot", options.axis, indices.rank() + 1);
  std::vector<int64_t> dims = indices.shape().dims();
  dims.insert(dims.begin() + a, num_classes);
  const DType counter = indices.dtype() == DType::int64 || indices.dtype() == DType::uint64
                            ? DType::int64
                            : DType::int32;
  const Tensor wanted = cast(expand_dims(indices, a), counter);
  return cast(equal(wanted, iota(Shape(std::move(dims)), a, counter)), options.dtype);
}

Tensor tril(const Tensor& x, int64_t k) { return keep_triangle("tril", x, k, less_equal); }
Tensor triu(const Tensor& x, int64_t k) { return keep_triangle("triu", x, k, greater_equal); }

}  // namespace antler::ops
