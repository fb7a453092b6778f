#pragma once

#include <string>
#include <vector>

#include "antler/core/variable_shards.h"
#include "antler/ir/op_def.h"

namespace antler::ops {

/// A mesh of accelerators on which one program runs (distribute/sharded_strategy.h).
struct DeviceGrid {
  std::vector<std::string> axis_names;
  ir::Ints axis_sizes;
  ir::Ints devices;  ///< in row-major order; counted from the device where programs run
  friend bool operator==(const DeviceGrid&, const DeviceGrid&) = default;
};

/// mesh_layout {axis_names, axis_sizes, devices, layout}: its operand, which the devices of a mesh
/// hold in parts. `axis_names` is separated by commas; `layout` has for each dimension the number
/// of the mesh axis along which it is divided, or -1. An executor on several devices runs a graph
/// with it on that mesh; everywhere else it does nothing.
///
/// Not in the list of ops: graphs with it stay in the process that made them.
extern const ir::OpDef kMeshLayout;

/// Emits kMeshLayout. The axes of `sharding` must be axes of the grid.
Tensor lay_out(const Tensor& x, const DeviceGrid& grid, const Sharding& sharding);

/// The attributes of kMeshLayout, and the grid that they name.
ir::Attrs mesh_layout_attrs(const DeviceGrid& grid, ir::Ints layout);
DeviceGrid grid_of(const ir::Attrs& attrs);

}  // namespace antler::ops
