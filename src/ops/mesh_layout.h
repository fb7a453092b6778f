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
  ir::Ints devices;  ///< in row-major order; relative to the device on which programs run
  friend bool operator==(const DeviceGrid&, const DeviceGrid&) = default;
};

/// mesh_layout {axis_names, axis_sizes, devices, layout}: returns its operand, divided among the
/// devices of a mesh. `axis_names` is separated by commas. For each dimension, `layout` has the
/// number of the mesh axis along which the dimension is divided, or -1. An executor on several
/// devices runs a graph with this op on that mesh; everywhere else the op does nothing.
///
/// Not in the list of ops: graphs with it stay in the process that made them.
extern const ir::OpDef kMeshLayout;

/// Emits kMeshLayout. The axes of `sharding` must be axes of the grid.
Tensor lay_out(const Tensor& x, const DeviceGrid& grid, const Sharding& sharding);

/// The attributes of kMeshLayout, and the grid that they describe.
ir::Attrs mesh_layout_attrs(const DeviceGrid& grid, ir::Ints layout);
DeviceGrid grid_of(const ir::Attrs& attrs);

}  // namespace antler::ops
