#include "ops/core/barrier.h"

#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "ops/families.h"

namespace antler::ops {
namespace {

/// The number of operands that are passed on; the others are only waited for.
size_t passed_on(const ir::Attrs& attrs, size_t operands) {
  const int64_t count = attrs.integer("values");
  if (count < 1 || static_cast<size_t>(count) > operands)
    throw ValueError("optimization_barrier: {} values of {} operands.", count, operands);
  return static_cast<size_t>(count);
}

std::vector<TensorSpec> infer_barrier(const ir::InferArgs& args) {
  const auto values = args.inputs.first(passed_on(args.attrs, args.inputs.size()));
  return {values.begin(), values.end()};
}

Tensors vjp_barrier(const ir::VjpArgs& args) { return {args.grads.begin(), args.grads.end()}; }

void copy_values(const ir::ReferenceArgs& args) {
  for (size_t i = 0; i < args.outputs.size(); ++i) {
    if (const size_t bytes = args.outputs[i].bytes(); bytes > 0)
      std::memcpy(args.outputs[i].mutable_data(), args.inputs[i].data(), bytes);
  }
}

}  // namespace

constinit const ir::OpDef kOptimizationBarrier = {
    .name = "optimization_barrier",
    .infer = infer_barrier,
    .vjp = vjp_barrier,
    .reference = copy_values,
};

OpSpan barrier_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kOptimizationBarrier};
  return kOps;
}

Tensors optimization_barrier(const Tensors& values, const Tensors& after) {
  Tensors operands = values;
  operands.insert(operands.end(), after.begin(), after.end());
  return ir::emit(kOptimizationBarrier, operands,
                  {{"values", static_cast<int64_t>(values.size())}});
}

}  // namespace antler::ops
