#include "antler/base/format.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/mesh.h"

namespace antler::pjrt {
namespace {

/// Selects this replica's value from the values of all replicas.
Value own_value(Emitter& emit, std::span<const Value> values) {
  bool is_shared = true;
  Values rows;
  for (const Value& value : values) {
    is_shared = is_shared && value.name == values[0].name;
    Ints dims = value.type.dims;
    dims.insert(dims.begin(), 1);
    rows.push_back(emit.reshape(value, std::move(dims)));
  }
  if (is_shared) return values[0];
  return emit.take(emit.concatenate(rows, 0), 0, emit.replica_id());
}

/// The values of all replicas.
Values values_of_replicas(Emitter& emit, const Value& own) {
  Ints dims = own.type.dims;
  dims.insert(dims.begin(), 1);
  const Value all = gather_replicas(emit, emit.reshape(own, std::move(dims)), 0);
  Values values;
  for (int64_t r = 0; r < emit.replicas(); ++r)
    values.push_back(emit.take(all, 0, emit.fill_int(r, {"i32", {}})));
  return values;
}

/// Operands, except local ones, and results are the same on all devices; values in between belong
/// to one device.
Values lower_spmd(const LowerArgs& args) {
  const int64_t count = args.attrs().integer("replicas");
  if (count != args.emit.replicas())
    throw Unsupported{format("{} replicas in a program of {}", count, args.emit.replicas())};
  const auto replicas = static_cast<size_t>(count);
  const auto varying_inputs = static_cast<size_t>(args.attrs().integer("varying_inputs"));
  const auto local = static_cast<size_t>(
      args.attrs().has("local_inputs") ? args.attrs().integer("local_inputs") : 0);
  const std::span<const Value> operands = args.inputs.subspan(local);
  Values inputs(args.inputs.begin(), args.inputs.begin() + static_cast<std::ptrdiff_t>(local));
  for (size_t i = 0; i < varying_inputs; ++i) {
    Values values;
    for (size_t r = 0; r < replicas; ++r) values.push_back(operands[r * varying_inputs + i]);
    inputs.push_back(own_value(args.emit, values));
  }
  const std::span<const Value> shared = operands.subspan(replicas * varying_inputs);
  inputs.insert(inputs.end(), shared.begin(), shared.end());

  const Values outputs = lower_body(args.emit, *args.node.regions[0], inputs);
  const auto varying_outputs = static_cast<size_t>(args.attrs().integer("varying_outputs"));
  Values results(replicas * varying_outputs);
  for (size_t i = 0; i < varying_outputs; ++i) {
    const Values values = values_of_replicas(args.emit, outputs[i]);
    for (size_t r = 0; r < replicas; ++r) results[r * varying_outputs + i] = values[r];
  }
  results.insert(results.end(), outputs.begin() + static_cast<std::ptrdiff_t>(varying_outputs),
                 outputs.end());
  return results;
}

/// Tells XLA's partitioner how to divide the array.
Values lower_mesh_layout(const LowerArgs& args) {
  const ops::DeviceGrid* const grid = args.emit.grid();
  if (grid == nullptr) return {args[0]};
  return {args.emit.constrain(args[0], sharding_text(*grid, args.attrs().ints("layout")))};
}

constexpr Rule kSpmdRules[] = {{"spmd", lower_spmd}, {"mesh_layout", lower_mesh_layout}};

}  // namespace

Rules spmd_rules() { return kSpmdRules; }

}  // namespace antler::pjrt
