#include "antler/ops/worker_collectives.h"

#include <algorithm>
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

/// The arrays of a program in the communicator's form; `inputs` or `outputs` may be empty.
std::vector<Communicator::Array> arrays_of(std::span<const Tensor> inputs,
                                           std::span<const Tensor> outputs) {
  std::vector<Communicator::Array> arrays;
  for (size_t i = 0; i < std::max(inputs.size(), outputs.size()); ++i) {
    arrays.push_back({inputs.empty() ? nullptr : inputs[i].data(),
                      outputs.empty() ? nullptr : outputs[i].mutable_data(),
                      static_cast<size_t>((inputs.empty() ? outputs[i] : inputs[i]).size())});
  }
  return arrays;
}

void reference_all_reduce(const ir::ReferenceArgs& args) {
  group_of("worker_all_reduce", args.attrs)
      ->all_reduce_arrays(arrays_of(args.inputs, args.outputs), args.inputs[0].dtype(),
                          reduce_op(args.attrs.string("op")));
}

/// The number of arrays among the operands of worker_all_reduce_start; the others are numbers of
/// all-reduces.
size_t array_count(const ir::Attrs& attrs) { return static_cast<size_t>(attrs.integer("arrays")); }

void reference_all_reduce_start(const ir::ReferenceArgs& args) {
  const uint64_t number =
      group_of("worker_all_reduce_start", args.attrs)
          ->start_all_reduce(arrays_of(args.inputs.first(array_count(args.attrs)), {}),
                             args.inputs[0].dtype(), reduce_op(args.attrs.string("op")));
  *static_cast<int64_t*>(args.outputs[0].mutable_data()) = static_cast<int64_t>(number);
}

void reference_all_reduce_finish(const ir::ReferenceArgs& args) {
  const int64_t number = *static_cast<const int64_t*>(args.inputs[0].data());
  group_of("worker_all_reduce_finish", args.attrs)
      ->finish_all_reduce(static_cast<uint64_t>(number), arrays_of({}, args.outputs));
}

void reference_all_gather(const ir::ReferenceArgs& args) {
  const Tensor& block = args.inputs[0];
  const Tensor& result = args.outputs[0];
  group_of("worker_all_gather", args.attrs)
      ->all_gather({bytes_of(block), block.bytes()}, {bytes_of(result), result.bytes()});
}

void require_one_dtype(std::span<const TensorSpec> arrays) {
  if (arrays.empty()) throw ValueError("ops::worker_all_reduce: expected an array.");
  for (const TensorSpec& spec : arrays) {
    if (spec.dtype != arrays[0].dtype || spec.dtype == DType::boolean) {
      throw TypeError(
          "ops::worker_all_reduce: expected arrays of one numeric dtype. Received: {} and {}.",
          dtype_name(arrays[0].dtype), dtype_name(spec.dtype));
    }
  }
}

std::vector<TensorSpec> infer_all_reduce(const ir::InferArgs& args) {
  reduce_op(args.attrs.string("op"));
  require_one_dtype(args.inputs);
  return {args.inputs.begin(), args.inputs.end()};
}

void require_numbers(const char* op, std::span<const TensorSpec> operands) {
  for (const TensorSpec& spec : operands) {
    if (spec.dtype == DType::int64 && spec.shape.empty()) continue;
    throw ValueError("ops::{}: expected int64 numbers. Received: {} {}.", op,
                     dtype_name(spec.dtype), spec.shape);
  }
}

std::vector<TensorSpec> infer_all_reduce_start(const ir::InferArgs& args) {
  const size_t arrays = array_count(args.attrs);
  reduce_op(args.attrs.string("op"));
  require_one_dtype(args.inputs.first(arrays));
  require_numbers("worker_all_reduce_start", args.inputs.subspan(arrays));
  return {{DType::int64, Shape()}};
}

std::vector<TensorSpec> infer_all_reduce_finish(const ir::InferArgs& args) {
  if (args.inputs.empty()) throw ValueError("ops::worker_all_reduce_finish: expected a number.");
  require_numbers("worker_all_reduce_finish", args.inputs);
  const ir::Ints& shapes = args.attrs.ints("shapes");
  std::vector<TensorSpec> specs;
  for (size_t at = 0; at < shapes.size();) {
    const int64_t rank = shapes[at++];
    if (rank < 0 || rank > static_cast<int64_t>(shapes.size() - at))
      throw ValueError("ops::worker_all_reduce_finish: `shapes` is not a list of shapes.");
    const auto begin = shapes.begin() + static_cast<std::ptrdiff_t>(at);
    specs.push_back({args.attrs.dtype("dtype"), Shape(ir::Ints(begin, begin + rank))});
    at += static_cast<size_t>(rank);
  }
  return specs;
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
    throw NotImplementedError("ops::worker_all_reduce: the operation '{}' has no gradient.", op);
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

/// Value of the attribute pack: no limit.
constexpr int64_t kNoLimit = -1;

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
const ir::OpDef kWorkerAllReduceStart = {.name = "worker_all_reduce_start",
                                         .op_class = ir::OpClass::effect,
                                         .infer = infer_all_reduce_start,
                                         .reference = reference_all_reduce_start,
                                         .no_gradient = true};
const ir::OpDef kWorkerAllReduceFinish = {.name = "worker_all_reduce_finish",
                                          .op_class = ir::OpClass::effect,
                                          .infer = infer_all_reduce_finish,
                                          .reference = reference_all_reduce_finish,
                                          .no_gradient = true};
const ir::OpDef kWorkerAllGather = {.name = "worker_all_gather",
                                    .op_class = ir::OpClass::effect,
                                    .infer = infer_all_gather,
                                    .vjp = vjp_all_gather,
                                    .reference = reference_all_gather};

OpSpan worker_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kWorkerAllReduce, &kWorkerAllReduceStart,
                                              &kWorkerAllReduceFinish, &kWorkerAllGather};
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

void validate(const GradientMessages& messages) {
  if (messages.bytes_per_pack && *messages.bytes_per_pack < 0) {
    throw ValueError("`bytes_per_pack` must not be negative. Received: bytes_per_pack={}.",
                     *messages.bytes_per_pack);
  }
  const auto dtype = messages.dtype;
  if (dtype && *dtype != DType::float16 && *dtype != DType::bfloat16) {
    throw ValueError("Gradients can be sent as float16 or bfloat16, or unchanged. Received: {}.",
                     dtype_name(*dtype));
  }
}

Tensor worker_sum_gradient(const Tensor& x, const GradientMessages& messages) {
  require_defined("worker_sum_gradient", x);
  const int64_t workers = worker_count();
  if (workers == 1) return x;
  const bool is_short = messages.dtype && x.dtype() == DType::float32;
  const DType dtype = is_short ? *messages.dtype : x.dtype();
  const Tensor sum = ir::emit_one(kWorkerAllReduce, {to_dtype(x, dtype)},
                                  {{"op", reduce_name(ReduceOp::sum)},
                                   {"workers", workers},
                                   {"pack", messages.bytes_per_pack.value_or(kNoLimit)}});
  return to_dtype(sum, x.dtype());
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
