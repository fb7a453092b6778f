#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "antler/ir/graph.h"
#include "pjrt/lowering/mesh.h"

namespace antler::pjrt {

/// The graph after the passes that a lowering needs: composites are decomposed, dead and repeated
/// work is removed, but no ops are introduced that only the CPU's kernels know. Programs of several
/// replicas are expanded for one device unless they are kept.
ir::Graph prepare(ir::Graph graph, bool keeps_replicas = false);

/// How many devices the graph's programs of several replicas need; 1 if there are none, or if they
/// do not agree.
int64_t replicas_of(const ir::Graph& graph);

/// For a prepared graph whose inputs are batches of which replicas take equal slices along axis 0:
/// the graph whose inputs are the slices of one replica. nullopt if an input is used in another
/// way.
std::optional<ir::Graph> divide_inputs(const ir::Graph& graph);

/// The graph after these passes for the mesh of devices that it names; none if it names none.
std::optional<MeshProgram> prepare_for_mesh(ir::Graph graph);

/// Why a graph has no lowering: an op of the graph or of a region has no rule. Empty if all ops
/// have one.
std::string find_unsupported(const ir::Graph& graph);

/// A StableHLO module, in MLIR's text form, whose function @main runs one step. Its arguments are
/// the states, then the graph's inputs. Its results are the new values of written states, which may
/// take the memory of the old ones, then the outputs. Arguments and results of a module of several
/// replicas are the same on all devices. With a placement, the module is for a mesh: states and
/// inputs are divided as the placement says, and outputs are whole on all devices. Throws
/// Unsupported.
std::string lower_step(const ir::Graph& graph, const std::string& name,
                       const MeshPlacement* mesh = nullptr);

/// A module whose @main maps the graph's inputs to its outputs, with the current values of its
/// states as constants. Throws Unsupported, and ValueError for a graph that writes a state.
std::string lower_constants(const ir::Graph& graph, const std::string& name);

/// The form of a block of steps.
struct BlockForm {
  int64_t steps = 1;
  /// All steps of the block are run. Then the compiler knows their number, which saves GPUs a
  /// transfer per step. Otherwise the first argument is the number of steps.
  bool runs_all = false;
  bool stacks_outputs = false;  ///< results are the outputs of all steps in one tensor each
  /// Not negative: batches are rows of arrays with this many rows, not arguments themselves.
  int64_t array_rows = -1;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for a comparison with 0
  friend auto operator<=>(const BlockForm&, const BlockForm&) = default;
};

/// lower_step() for up to `form.steps` steps. Arguments are the number of steps (i32) unless all
/// are run, the states, then for each input of the graph the batches of a block in one tensor; or,
/// if batches are rows of arrays, the row numbers of a block (i32, steps x batch), then the arrays.
/// The outputs are those of the last step, or of all.
std::string lower_block(const ir::Graph& graph, const std::string& name, const BlockForm& form,
                        const MeshPlacement* mesh = nullptr);

/// The layout of a block's row numbers, and of the batches of an input in one tensor.
Layout layout_of_rows(const MeshPlacement& mesh);
Layout layout_of_stack(const Layout& batch);

}  // namespace antler::pjrt
