#include <algorithm>
#include <numeric>
#include <string>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

using ir::Ints;

DotDims dims_of(const ir::Attrs& attrs) {
  return {attrs.ints("lhs_contract"), attrs.ints("rhs_contract"), attrs.ints("lhs_batch"),
          attrs.ints("rhs_batch")};
}

/// Dimensions of an operand that are neither contracted nor batch.
Ints free_dims(int rank, const Ints& contract, const Ints& batch) {
  Ints used = contract;
  used.insert(used.end(), batch.begin(), batch.end());
  std::sort(used.begin(), used.end());
  return other_axes(used, rank);
}

[[noreturn]] void fail(const InferArgs& args, const std::string& expected) {
  throw ValueError("ops::dot_general: expected {}. Received: operands {} and {} with {}.", expected,
                   spec_str(args.inputs[0]), spec_str(args.inputs[1]), args.attrs.str());
}

void require_pairs(const InferArgs& args, const Ints& lhs, const Ints& rhs, const char* what) {
  const Shape& x = args.inputs[0].shape;
  const Shape& y = args.inputs[1].shape;
  if (lhs.size() != rhs.size()) {
    fail(args, format("as many {} dimensions on both sides", what));
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    if (lhs[i] < 0 || lhs[i] >= x.rank() || rhs[i] < 0 || rhs[i] >= y.rank()) {
      fail(args, format("{} dimensions that exist", what));
    }
    const int64_t a = x[static_cast<int>(lhs[i])];
    const int64_t b = y[static_cast<int>(rhs[i])];
    if (a != b && a != Shape::kUnknown && b != Shape::kUnknown) {
      fail(args, format("{} dimensions of equal size", what));
    }
  }
}

std::vector<TensorSpec> infer_dot(const InferArgs& args) {
  require_operands("dot_general", args, 2);
  const auto& [dtype, x] = args.inputs[0];
  const Shape& y = args.inputs[1].shape;
  if (dtype != args.inputs[1].dtype) fail(args, "operands of equal dtype");
  const DotDims d = dims_of(args.attrs);
  require_pairs(args, d.lhs_batch, d.rhs_batch, "batch");
  require_pairs(args, d.lhs_contract, d.rhs_contract, "contracted");
  Shape shape;
  for (size_t i = 0; i < d.lhs_batch.size(); ++i) {
    const int64_t size = x[static_cast<int>(d.lhs_batch[i])];
    shape.push_back(size == Shape::kUnknown ? y[static_cast<int>(d.rhs_batch[i])] : size);
  }
  for (int64_t i : free_dims(x.rank(), d.lhs_contract, d.lhs_batch))
    shape.push_back(x[static_cast<int>(i)]);
  for (int64_t i : free_dims(y.rank(), d.rhs_contract, d.rhs_batch))
    shape.push_back(y[static_cast<int>(i)]);
  return {{dtype, shape}};
}

/// Offsets of all index combinations of some dimensions in row-major order.
std::vector<int64_t> offsets(const Shape& shape, const Ints& dims) {
  const std::vector<int64_t> strides = shape.strides();
  std::vector<int64_t> result = {0};
  for (int64_t d : dims) {
    std::vector<int64_t> next;
    for (int64_t base : result) {
      for (int64_t i = 0; i < shape[static_cast<int>(d)]; ++i)
        next.push_back(base + i * strides[static_cast<size_t>(d)]);
    }
    result = std::move(next);
  }
  return result;
}

/// For each batch and row: row of the result += x element * row of y. Floats accumulate in double,
/// integers wrap.
void dot_reference(const ReferenceArgs& args) {
  const DotDims d = dims_of(args.attrs);
  const Shape& xs = args.inputs[0].shape();
  const Shape& ys = args.inputs[1].shape();
  const auto x_batch = offsets(xs, d.lhs_batch);
  const auto y_batch = offsets(ys, d.rhs_batch);
  const auto rows = offsets(xs, free_dims(xs.rank(), d.lhs_contract, d.lhs_batch));
  const auto columns = offsets(ys, free_dims(ys.rank(), d.rhs_contract, d.rhs_batch));
  const auto x_inner = offsets(xs, d.lhs_contract);
  const auto y_inner = offsets(ys, d.rhs_contract);
  dispatch(args.inputs[0].dtype(), [&]<class T>() {
    using A = std::conditional_t<kind_of<T>() == kFloats, double, uint64_t>;
    const auto wide = [](T value) { return static_cast<A>(static_cast<ComputeType<T>>(value)); };
    const T* x = args.inputs[0].template data<T>();
    const T* y = args.inputs[1].template data<T>();
    T* out = args.outputs[0].template mutable_data<T>();
    std::vector<A> total(columns.size());
    for (size_t b = 0; b < x_batch.size(); ++b) {
      for (const int64_t row : rows) {
        std::fill(total.begin(), total.end(), A{0});
        for (size_t k = 0; k < x_inner.size(); ++k) {
          const A factor = wide(x[x_batch[b] + row + x_inner[k]]);
          const T* y_row = y + y_batch[b] + y_inner[k];
          for (size_t j = 0; j < columns.size(); ++j) total[j] += factor * wide(y_row[columns[j]]);
        }
        for (const A value : total) *out++ = static_cast<T>(static_cast<ComputeType<T>>(value));
      }
    }
  });
}

/// Moves dimension k of `x` to order[k].
Tensor reordered(const Tensor& x, const Ints& order) {
  Ints perm(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    perm[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  return std::is_sorted(perm.begin(), perm.end()) ? x : transpose(x, perm);
}

Ints range(size_t first, size_t count) {
  Ints result(count);
  std::iota(result.begin(), result.end(), static_cast<int64_t>(first));
  return result;
}

/// Sorts `dims` of one operand by the corresponding dimensions `by` of the other.
Ints partners(const Ints& dims, const Ints& by) {
  Ints places = range(0, by.size());
  std::sort(places.begin(), places.end(), [&](int64_t i, int64_t j) {
    return by[static_cast<size_t>(i)] < by[static_cast<size_t>(j)];
  });
  for (int64_t& place : places) place = dims[static_cast<size_t>(place)];
  return places;
}

Ints joined(std::initializer_list<Ints> parts) {
  Ints all;
  for (const Ints& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// g is [batch, free of x, free of y]. dx contracts the last dimensions with y: [batch, free of x,
/// contracted]. dy contracts the middle dimensions with x: [batch, contracted, free of y].
Tensors dot_vjp(const VjpArgs& v) {
  const auto& [x, y, g] = std::tie(v.inputs[0], v.inputs[1], v.grads[0]);
  const DotDims d = dims_of(v.attrs);
  const Ints x_free = free_dims(x.rank(), d.lhs_contract, d.lhs_batch);
  const Ints y_free = free_dims(y.rank(), d.rhs_contract, d.rhs_batch);
  const size_t batches = d.lhs_batch.size();
  const Ints g_batch = range(0, batches);
  const Ints g_x = range(batches, x_free.size());
  const Ints g_y = range(batches + x_free.size(), y_free.size());
  const Tensor dx = dot_general(g, y, {g_y, y_free, g_batch, d.rhs_batch});
  const Tensor dy = dot_general(x, g, {x_free, g_x, d.lhs_batch, g_batch});
  return {reordered(dx, joined({d.lhs_batch, x_free, partners(d.lhs_contract, d.rhs_contract)})),
          reordered(dy, joined({d.rhs_batch, partners(d.rhs_contract, d.lhs_contract), y_free}))};
}

constinit const OpDef kDotGeneral = {
    .name = "dot_general",
    .infer = infer_dot,
    .vjp = dot_vjp,
    .reference = dot_reference,
};

/// Products of int8 accumulate in int32, as in Keras.
Operands dot_operands(const char* op, const Tensor& x, const Tensor& y) {
  require_defined(op, x);
  require_defined(op, y);
  const bool narrow = x.dtype() == DType::int8 && y.dtype() == DType::int8;
  const DType dtype = narrow ? DType::int32 : result_dtype({x, y});
  return {to_dtype(x, dtype), to_dtype(y, dtype)};
}

}  // namespace

OpSpan dot_ops() {
  static constexpr const OpDef* kOps[] = {&kDotGeneral};
  return kOps;
}

Tensor dot_general(const Tensor& x, const Tensor& y, const DotDims& dims) {
  require_defined("dot_general", x);
  require_defined("dot_general", y);
  const DType dtype = result_dtype({x, y});
  return ir::emit_one(kDotGeneral, {to_dtype(x, dtype), to_dtype(y, dtype)},
                      {{"lhs_contract", dims.lhs_contract},
                       {"rhs_contract", dims.rhs_contract},
                       {"lhs_batch", dims.lhs_batch},
                       {"rhs_batch", dims.rhs_batch}});
}

Tensor matmul(const Tensor& x, const Tensor& y) {
  const auto [a, b] = dot_operands("matmul", x, y);
  const int row = a.rank() - 1;  // the contracted dimensions
  const int column = std::max(b.rank() - 2, 0);
  const bool fits = a.rank() > 0 && b.rank() > 0 &&
                    (a.dim(row) == b.dim(column) || a.dim(row) == Shape::kUnknown ||
                     b.dim(column) == Shape::kUnknown);
  if (!fits) {
    throw ValueError(
        "ops::matmul: expected the last dimension of x to equal the second to last of y. "
        "Received: x.shape={}, y.shape={}.",
        a.shape(), b.shape());
  }
  // If y has no batch dimensions, the batch dimensions of x are treated as rows. A vector x has no
  // rows.
  if (a.rank() == 1 || b.rank() <= 2) return dot_general(a, b, {{row}, {column}});
  const Shape batch = broadcast_shape("matmul", Shape(a.shape().begin(), a.shape().end() - 2),
                                      Shape(b.shape().begin(), b.shape().end() - 2));
  const auto with_batch = [&](const Tensor& t) {
    Shape shape = batch;
    shape.push_back(t.dim(-2));
    shape.push_back(t.dim(-1));
    return expand_to(t, shape);
  };
  const int n = batch.rank();
  const Ints batches = range(0, static_cast<size_t>(n));
  return dot_general(with_batch(a), with_batch(b), {{n + 1}, {n}, batches, batches});
}

Tensor tensordot(const Tensor& x, const Tensor& y, int64_t axes) {
  const auto [a, b] = dot_operands("tensordot", x, y);
  if (axes < 0 || axes > a.rank() || axes > b.rank()) {
    throw ValueError(
        "ops::tensordot: expected `axes` between 0 and the rank of both operands. Received: "
        "axes={}, x.shape={}, y.shape={}.",
        axes, a.shape(), b.shape());
  }
  const auto count = static_cast<size_t>(axes);
  return dot_general(a, b, {range(static_cast<size_t>(a.rank()) - count, count), range(0, count)});
}

}  // namespace antler::ops
