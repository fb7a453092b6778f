#include "ops/mesh_layout.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "base/strings.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_mesh_layout(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  if (static_cast<int>(args.attrs.ints("layout").size()) != x.shape.rank())
    throw InternalError("mesh_layout: the layout does not fit the shape {}", x.shape);
  return {x};
}

Tensors vjp_mesh_layout(const ir::VjpArgs& args) {
  return {ir::emit_one(kMeshLayout, {args.grads[0]}, args.attrs)};
}

Tensors decompose_mesh_layout(std::span<const Tensor> inputs, const ir::Attrs& /*attrs*/) {
  return {inputs[0]};
}

}  // namespace

const ir::OpDef kMeshLayout = {.name = "mesh_layout",
                               .infer = infer_mesh_layout,
                               .vjp = vjp_mesh_layout,
                               .decompose = decompose_mesh_layout};

ir::Attrs mesh_layout_attrs(const DeviceGrid& grid, ir::Ints layout) {
  return {{"axis_names", join(grid.axis_names, ",")},
          {"axis_sizes", grid.axis_sizes},
          {"devices", grid.devices},
          {"layout", std::move(layout)}};
}

DeviceGrid grid_of(const ir::Attrs& attrs) {
  DeviceGrid grid{{}, attrs.ints("axis_sizes"), attrs.ints("devices")};
  std::istringstream names(attrs.string("axis_names"));
  for (std::string name; std::getline(names, name, ',');) grid.axis_names.push_back(name);
  return grid;
}

Tensor lay_out(const Tensor& x, const DeviceGrid& grid, const Sharding& sharding) {
  ir::Ints layout(static_cast<size_t>(x.rank()), -1);
  for (const ShardedDimension& d : sharding) {
    const auto axis = std::find(grid.axis_names.begin(), grid.axis_names.end(), d.mesh_axis);
    layout[static_cast<size_t>(d.dimension)] = axis - grid.axis_names.begin();
  }
  return ir::emit_one(kMeshLayout, {x}, mesh_layout_attrs(grid, std::move(layout)));
}

}  // namespace antler::ops
