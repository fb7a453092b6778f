#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"
#include "ops/mesh_layout.h"

/// Programs that one mesh of devices runs, each array divided as its layout says (SPMD, which XLA's
/// partitioner makes of a program of whole arrays).
namespace antler::pjrt {

/// For each dimension of an array the number of the mesh axis along which it is divided, or -1.
using Layout = std::vector<int64_t>;

/// The number of devices of a grid.
int64_t device_count(const ops::DeviceGrid& grid);
/// Of which part, in row-major order of the divided dimensions, device `index` of a grid has its
/// elements.
int64_t part_of_device(const ops::DeviceGrid& grid, const Layout& layout, int64_t index);
/// What one device holds of an array.
TensorSpec part_of(const TensorSpec& whole, const ops::DeviceGrid& grid, const Layout& layout);
/// The mesh and a layout as Shardy, XLA's partitioner, has them (openxla/shardy,
/// docs/sharding_representation.md): `sdy.mesh @mesh = <["batch"=2, "model"=4]>` and
/// `#sdy.sharding<@mesh, [{"batch"}, {}]>`.
std::string mesh_text(const ops::DeviceGrid& grid);
std::string sharding_text(const ops::DeviceGrid& grid, const Layout& layout);

/// A state of a program on a mesh: a variable whose parts are variables, or a single one.
struct StateOnMesh {
  Variables parts;
  Layout layout;
};

/// Where a mesh has what a graph reads.
struct MeshPlacement {
  ops::DeviceGrid grid;
  std::vector<StateOnMesh> states;  ///< those of the graph
  std::vector<Layout> inputs;       ///< those of the graph; divided by rows or not at all
};

/// A graph of whole arrays for a mesh. Variables that are divided along axes of the mesh are one
/// state each, whose slot has the first part as its variable.
struct MeshProgram {
  ir::Graph graph;
  MeshPlacement placement;
};

/// The program of a graph that names one mesh (ops::kMeshLayout); none if it names no mesh or
/// several. `clean` removes what has become superfluous.
std::optional<MeshProgram> place_on_mesh(const ir::Graph& graph,
                                         const std::function<ir::Graph(ir::Graph)>& clean);

}  // namespace antler::pjrt
