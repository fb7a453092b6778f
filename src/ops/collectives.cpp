#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/control_flow/body.h"
#include "ops/reduce_names.h"
#include "ops/support.h"

// Collectives store the number of replicas, because their shapes depend on it. Executors connect
// the replicas; the reference loops support one replica only.
namespace antler::ops {
namespace {

thread_local int64_t t_replicas = 1;
thread_local bool t_joint_statistics = false;

constexpr std::string_view kReduceNames[] = {"sum", "mean", "max", "min"};

void require_one_replica(const char* op, const ir::Attrs& attrs) {
  if (attrs.integer("replicas") == 1) return;
  throw RuntimeError(
      "ops::{}: {} replicas can only run together, under the strategy that made them.", op,
      attrs.integer("replicas"));
}

void reference_all_reduce(const ir::ReferenceArgs& args) {
  require_one_replica("all_reduce", args.attrs);
  copy_elements(args.inputs[0], args.outputs[0]);
}

void reference_all_gather(const ir::ReferenceArgs& args) {
  require_one_replica("all_gather", args.attrs);
  copy_elements(args.inputs[0], args.outputs[0]);
}

void reference_reduce_scatter(const ir::ReferenceArgs& args) {
  require_one_replica("reduce_scatter", args.attrs);
  copy_elements(args.inputs[0], args.outputs[0]);
}

std::vector<TensorSpec> infer_all_reduce(const ir::InferArgs& args) {
  reduce_op(args.attrs.string("op"));
  return {args.inputs[0]};
}

int checked_axis(const char* op, const ir::InferArgs& args) {
  const int64_t axis = args.attrs.integer("axis");
  if (axis < 0 || axis >= args.inputs[0].shape.rank()) {
    throw ValueError("ops::{}: axis {} is out of range for an array of shape {}.", op, axis,
                     args.inputs[0].shape);
  }
  return static_cast<int>(axis);
}

std::vector<TensorSpec> infer_all_gather(const ir::InferArgs& args) {
  TensorSpec spec = args.inputs[0];
  spec.shape[checked_axis("all_gather", args)] *= args.attrs.integer("replicas");
  return {spec};
}

std::vector<TensorSpec> infer_reduce_scatter(const ir::InferArgs& args) {
  TensorSpec spec = args.inputs[0];
  int64_t& size = spec.shape[checked_axis("reduce_scatter", args)];
  const int64_t replicas = args.attrs.integer("replicas");
  if (size % replicas != 0) {
    throw ValueError("ops::reduce_scatter: an array of shape {} cannot be split among {} replicas.",
                     spec.shape, replicas);
  }
  size /= replicas;
  return {spec};
}

Tensor emit_all_reduce(const Tensor& x, const std::string& op, int64_t replicas) {
  return ir::emit_one(kAllReduce, {x}, {{"op", op}, {"replicas", replicas}});
}

/// The x of every replica influences the result of every replica.
Tensors vjp_all_reduce(const ir::VjpArgs& args) {
  const std::string& op = args.attrs.string("op");
  const int64_t replicas = args.attrs.integer("replicas");
  if (op == "sum" || op == "mean") return {emit_all_reduce(args.grads[0], op, replicas)};
  const Tensor& x = args.inputs[0];
  const Tensor is_extremum = cast(equal(x, args.outputs[0]), x.dtype());
  const Tensor share = divide(emit_all_reduce(args.grads[0], "sum", replicas),
                              emit_all_reduce(is_extremum, "sum", replicas));
  return {multiply(share, is_extremum)};
}

Tensors vjp_all_gather(const ir::VjpArgs& args) {
  return {ir::emit_one(kReduceScatter, {args.grads[0]}, args.attrs)};
}

Tensors vjp_reduce_scatter(const ir::VjpArgs& args) {
  return {ir::emit_one(kAllGather, {args.grads[0]}, args.attrs)};
}

}  // namespace

const ir::OpDef kAllReduce = {.name = "all_reduce",
                              .infer = infer_all_reduce,
                              .vjp = vjp_all_reduce,
                              .reference = reference_all_reduce};
const ir::OpDef kAllGather = {.name = "all_gather",
                              .infer = infer_all_gather,
                              .vjp = vjp_all_gather,
                              .reference = reference_all_gather};
const ir::OpDef kReduceScatter = {.name = "reduce_scatter",
                                  .infer = infer_reduce_scatter,
                                  .vjp = vjp_reduce_scatter,
                                  .reference = reference_reduce_scatter};

std::string reduce_name(ReduceOp op) { return std::string(kReduceNames[static_cast<size_t>(op)]); }

ReduceOp reduce_op(const std::string& name) {
  const auto* const found = std::find(std::begin(kReduceNames), std::end(kReduceNames), name);
  if (found != std::end(kReduceNames))
    return static_cast<ReduceOp>(found - std::begin(kReduceNames));
  throw ValueError("ops::all_reduce: unknown op '{}'; expected sum, mean, max or min.", name);
}

int64_t replica_count() { return t_replicas; }

bool has_joint_statistics() { return t_joint_statistics; }

ReplicaScope::ReplicaScope(int64_t count, bool joint_statistics)
    : previous_(std::exchange(t_replicas, count)),
      previous_joint_(std::exchange(t_joint_statistics, joint_statistics)) {
  if (count >= 1) return;
  t_replicas = previous_;
  t_joint_statistics = previous_joint_;
  throw ValueError("ReplicaScope: expected at least one replica. Received: {}", count);
}

ReplicaScope::~ReplicaScope() {
  t_replicas = previous_;
  t_joint_statistics = previous_joint_;
}

Tensor all_reduce(const Tensor& x, ReduceOp op) {
  require_defined("all_reduce", x);
  if (t_replicas == 1) return x;
  return emit_all_reduce(x, reduce_name(op), t_replicas);
}

Tensor all_reduce_gradient(const Tensor& x) {
  require_defined("all_reduce_gradient", x);
  if (t_replicas == 1) return x;
  return ir::emit_one(
      kAllReduce, {x},
      {{"op", reduce_name(ReduceOp::sum)}, {"replicas", t_replicas}, {"gradient", true}});
}

Tensor all_gather(const Tensor& x, int64_t axis) {
  require_defined("all_gather", x);
  const int64_t a = normalize_axis_of("all_gather", axis, x.rank());
  if (t_replicas == 1) return x;
  return ir::emit_one(kAllGather, {x}, {{"axis", a}, {"replicas", t_replicas}});
}

}  // namespace antler::ops
