#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"
#include "ops/mesh_layout.h"

/// Programs that a mesh of devices runs, with each array divided as its layout says (SPMD: XLA's
/// partitioner makes such a program from a program of whole arrays).
namespace antler::pjrt {

/// For each dimension of an array, the number of the mesh axis along which it is divided, or -1.
using Layout = std::vector<int64_t>;

/// The number of devices of a grid.
int64_t device_count(const ops::DeviceGrid& grid);
/// The number of the part that device `index` of a grid holds, in row-major order of the divided
/// dimensions.
int64_t part_of_device(const ops::DeviceGrid& grid, const Layout& layout, int64_t index);
/// The part of an array that one device holds.
TensorSpec part_of(const TensorSpec& whole, const ops::DeviceGrid& grid, const Layout& layout);
/// The mesh and a layout in the notation of Shardy, XLA's partitioner (openxla/shardy,
/// docs/sharding_representation.md): `sdy.mesh @mesh = <["batch"=2, "model"=4]>` and
/// `#sdy.sharding<@mesh, [{"batch"}, {}]>`.
std::string mesh_text(const ops::DeviceGrid& grid);
std::string sharding_text(const ops::DeviceGrid& grid, const Layout& layout);

/// A state of a program on a mesh: a variable whose parts are variables, or a single one.
struct StateOnMesh {
  Variables parts;
  Layout layout;
};

/// How a graph's states and inputs are placed on a mesh.
struct MeshPlacement {
  ops::DeviceGrid grid;
  std::vector<StateOnMesh> states;  ///< one per state of the graph
  std::vector<Layout> inputs;       ///< one per input of the graph; divided by rows or not at all
};

/// A graph of whole arrays for a mesh. A variable that is divided along axes of the mesh is a
/// single state, whose slot has the first part as its variable.
struct MeshProgram {
  ir::Graph graph;
  MeshPlacement placement;
};

/// The program of a graph that names one mesh (ops::kMeshLayout); nullopt if it names no mesh or
/// several. `clean` removes nodes that are no longer needed.
std::optional<MeshProgram> place_on_mesh(const ir::Graph& graph,
                                         const std::function<ir::Graph(ir::Graph)>& clean);

}  // namespace antler::pjrt
