#include "ops/spmd.h"

#include <cstddef>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "ops/control_flow/body.h"

namespace antler::ops {
namespace {

/// The first `local` specs, the next `varying` ones once per replica, then the others.
std::vector<TensorSpec> specs_of_replicas(const std::vector<TensorSpec>& specs, int64_t local,
                                          int64_t varying, int64_t replicas) {
  const auto first = specs.begin() + static_cast<std::ptrdiff_t>(local);
  const auto shared = first + static_cast<std::ptrdiff_t>(varying);
  std::vector<TensorSpec> all(specs.begin(), first);
  for (int64_t r = 0; r < replicas; ++r) all.insert(all.end(), first, shared);
  all.insert(all.end(), shared, specs.end());
  return all;
}

std::vector<TensorSpec> infer_spmd(const ir::InferArgs& args) {
  if (args.regions.empty()) throw InternalError("spmd needs a region");
  const ir::Graph& program = *args.regions[0];
  const int64_t replicas = args.attrs.integer("replicas");
  const int64_t local = args.attrs.has("local_inputs") ? args.attrs.integer("local_inputs") : 0;
  require_specs("spmd", "operand",
                specs_of_replicas(region_specs(program, program.inputs), local,
                                  args.attrs.integer("varying_inputs"), replicas),
                args.inputs);
  return specs_of_replicas(region_specs(program, program.outputs), 0,
                           args.attrs.integer("varying_outputs"), replicas);
}

void reference_spmd(const ir::ReferenceArgs& args) {
  const Tensors results = run_region(*args.regions.at(1), args.inputs);
  for (size_t i = 0; i < results.size(); ++i) copy_elements(results[i], args.outputs[i]);
}

}  // namespace

const ir::OpDef kSpmd = {.name = "spmd", .infer = infer_spmd, .reference = reference_spmd};

}  // namespace antler::ops
