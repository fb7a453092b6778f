#include "estimator/train/gathered_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::estimator::train {
namespace {

/// Whether a tensor is traced as zeros: a constant, perhaps broadcast.
bool is_zeros(const ir::Tracer& tracer, const Tensor& x) {
  const auto producer = tracer.producer(x);
  if (!producer) return false;
  if (producer->op->name == std::string_view("broadcast"))
    return is_zeros(tracer, producer->inputs[0]);
  if (producer->op != &ir::kConstant) return false;
  const std::vector<double> values = producer->attrs->get<Tensor>("value").to_doubles();
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

/// One float32 per row: 1 where the gradient has values. Undefined if it may have values in any
/// row.
Tensor row_flags(const Tensor& gradient) {
  const ir::Tracer* tracer = ir::Tracer::current();
  const auto producer = tracer != nullptr ? tracer->producer(gradient) : std::nullopt;
  if (!producer) return {};
  const std::string_view op = producer->op->name;
  const Tensors& inputs = producer->inputs;
  // The gradient of a gather adds rows to zeros.
  if (op == "scatter" && producer->attrs->integer("axis") == 0 &&
      producer->attrs->string("mode") == "add") {
    const Tensor before = is_zeros(*tracer, inputs[0])
                              ? ops::zeros({gradient.dim(0)}, DType::float32)
                              : row_flags(inputs[0]);
    if (!before.defined()) return {};
    const Tensor indices = ops::ravel(inputs[1]);
    return ops::scatter(before, indices, ops::ones({indices.size()}, DType::float32),
                        ops::ScatterMode::max);
  }
  if (op == "all_reduce") {
    const Tensor flags = row_flags(inputs[0]);
    return flags.defined() ? ops::all_reduce(flags, ops::ReduceOp::max) : flags;
  }
  if (op == "add") {
    const Tensor left = row_flags(inputs[0]);
    const Tensor right = left.defined() ? row_flags(inputs[1]) : Tensor();
    return right.defined() ? ops::maximum(left, right) : right;
  }
  return {};
}

}  // namespace

Tensor gathered_rows(const Tensor& gradient) {
  if (!gradient.is_traced() || gradient.rank() == 0) return {};
  const Tensor flags = row_flags(gradient);
  if (!flags.defined()) return {};
  std::vector<int64_t> dims(static_cast<size_t>(gradient.rank()), 1);
  dims[0] = gradient.dim(0);
  return ops::reshape(ops::greater(flags, 0.0), Shape(dims));
}

}  // namespace antler::estimator::train
