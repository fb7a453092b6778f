#include "antler/ops/worker_collectives.h"

#include <map>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/communicator.h"
#include "ops/families.h"
#include "ops/reduce_names.h"
#include "ops/support.h"
#include "ops/worker_collectives.h"

namespace antler::ops {
namespace {

/// The group that runs a collective of a program.
std::shared_ptr<Communicator> group_of(const char* op, const ir::Attrs& attrs) {
  const int64_t workers = attrs.integer("workers");
  std::shared_ptr<Communicator> group = communicator();
  if (group == nullptr)
    throw RuntimeError("ops::{}: this process is not connected to other workers.", op);
  if (group->size() != workers) {
    throw RuntimeError("ops::{}: the program was made for {} workers, but there are {}.", op,
                       workers, group->size());
  }
  return group;
}

std::byte* bytes_of(const Tensor& t) { return static_cast<std::byte*>(t.mutable_data()); }

void reference_all_reduce(const ir::ReferenceArgs& args) {
  const auto group = group_of("worker_all_reduce", args.attrs);
  std::vector<Communicator::Array> arrays;
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    const Tensor& input = args.inputs[i];
    arrays.push_back(
        {input.data(), args.outputs[i].mutable_data(), static_cast<size_t>(input.size())});
  }
  group->all_reduce_arrays(arrays, args.inputs[0].dtype(), reduce_op(args.attrs.string("op")));
}

void reference_all_gather(const ir::ReferenceArgs& args) {
  const Tensor& block = args.inputs[0];
  const Tensor& result = args.outputs[0];
  group_of("worker_all_gather", args.attrs)
      ->all_gather({bytes_of(block), block.bytes()}, {bytes_of(result), result.bytes()});
}

std::vector<TensorSpec> infer_all_reduce(const ir::InferArgs& args) {
  reduce_op(args.attrs.string("op"));
  if (args.inputs.empty()) throw ValueError("ops::worker_all_reduce: expected an array.");
  for (const TensorSpec& spec : args.inputs) {
    if (spec.dtype != args.inputs[0].dtype || spec.dtype == DType::boolean) {
      throw TypeError(
          "ops::worker_all_reduce: expected arrays of one numeric dtype. Received: {} and {}.",
          dtype_name(args.inputs[0].dtype), dtype_name(spec.dtype));
    }
  }
  return {args.inputs.begin(), args.inputs.end()};
}

std::vector<TensorSpec> infer_all_gather(const ir::InferArgs& args) {
  if (args.inputs.size() != 1)
    throw ValueError("ops::worker_all_gather: expected one array. Received: {}.",
                     args.inputs.size());
  std::vector<int64_t> dims = {args.attrs.integer("workers")};
  const Shape& shape = args.inputs[0].shape;
  dims.insert(dims.end(), shape.begin(), shape.end());
  return {{args.inputs[0].dtype, Shape(dims)}};
}

/// Every worker's operand influences the result of every worker.
Tensors vjp_all_reduce(const ir::VjpArgs& args) {
  const std::string& op = args.attrs.string("op");
  if (op != "sum" && op != "mean")
    throw NotImplementedError("ops::worker_all_reduce: the {} has no gradient.", op);
  Tensors grads;
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    grads.push_back(args.grads[i].defined() ? args.grads[i] : filled_like(0, args.inputs[i]));
  }
  return ir::emit(kWorkerAllReduce, grads, args.attrs);
}

/// Every worker has the result, so the gradient of a worker's block is the sum over all workers.
Tensors vjp_all_gather(const ir::VjpArgs& args) {
  const Tensor total = ir::emit_one(
      kWorkerAllReduce, {args.grads[0]},
      {{"op", reduce_name(ReduceOp::sum)}, {"workers", args.attrs.integer("workers")}});
  return {total[group_of("worker_all_gather", args.attrs)->rank()]};
}

int64_t worker_count() {
  const auto group = communicator();
  return group == nullptr ? 1 : group->size();
}

}  // namespace

const ir::OpDef kWorkerAllReduce = {.name = "worker_all_reduce",
                                    .op_class = ir::OpClass::effect,
                                    .infer = infer_all_reduce,
                                    .vjp = vjp_all_reduce,
                                    .reference = reference_all_reduce};
const ir::OpDef kWorkerAllGather = {.name = "worker_all_gather",
                                    .op_class = ir::OpClass::effect,
                                    .infer = infer_all_gather,
                                    .vjp = vjp_all_gather,
                                    .reference = reference_all_gather};

OpSpan worker_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kWorkerAllReduce, &kWorkerAllGather};
  return kOps;
}

Tensors worker_all_reduce(const Tensors& xs, ReduceOp op) {
  for (const Tensor& x : xs) require_defined("worker_all_reduce", x);
  const int64_t workers = worker_count();
  if (workers == 1) return xs;
  std::map<DType, std::vector<size_t>> by_dtype;
  for (size_t i = 0; i < xs.size(); ++i) by_dtype[xs[i].dtype()].push_back(i);
  Tensors results(xs.size());
  for (const auto& [dtype, positions] : by_dtype) {
    Tensors operands;
    for (const size_t i : positions) operands.push_back(to_dtype(xs[i], dtype));
    const Tensors reduced =
        ir::emit(kWorkerAllReduce, operands, {{"op", reduce_name(op)}, {"workers", workers}});
    for (size_t i = 0; i < positions.size(); ++i) results[positions[i]] = reduced[i];
  }
  return results;
}

Tensor worker_all_reduce(const Tensor& x, ReduceOp op) {
  return worker_all_reduce(Tensors{x}, op)[0];
}

Tensor worker_all_gather(const Tensor& x) {
  require_defined("worker_all_gather", x);
  const int64_t workers = worker_count();
  if (workers == 1) {
    std::vector<int64_t> dims = {1};
    dims.insert(dims.end(), x.shape().begin(), x.shape().end());
    return x.reshape(Shape(dims));
  }
  return ir::emit_one(kWorkerAllGather, {to_dtype(x, x.dtype())}, {{"workers", workers}});
}

}  // namespace antler::ops
