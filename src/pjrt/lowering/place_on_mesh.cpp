#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/core/variable_shards.h"
#include "ops/movement_ops.h"
#include "pjrt/lowering/mesh.h"

// A graph reads a divided variable as a concatenation of its parts, and writes each part as a slice
// (ops/core/shards.h). On a mesh the parts of a variable are one argument and one result of the
// program, of which each device has its part: concatenations become the whole variable, and the
// array that is sliced becomes its new value.
namespace antler::pjrt {
namespace {

using ir::ValueId;

bool is_op(const ir::Node* node, std::string_view name) {
  return node != nullptr && name == node->op->name;
}

bool joins_along_mesh(const ir::Node* node) {
  return is_op(node, "concatenate") && node->attrs.has("mesh_axis");
}

/// The grid that all layouts of a graph name.
std::optional<ops::DeviceGrid> grid_in(const ir::Graph& graph) {
  std::optional<ops::DeviceGrid> grid;
  for (const ir::Node& node : graph.nodes) {
    if (node.op != &ops::kMeshLayout) continue;
    ops::DeviceGrid named = ops::grid_of(node.attrs);
    if (named.axis_names.size() != named.axis_sizes.size() || (grid && !(*grid == named)))
      return std::nullopt;
    grid = std::move(named);
  }
  return grid;
}

/// Parts of an array, in row-major order.
struct Parts {
  std::vector<ValueId> values;
  Sharding sharding;
};

class MeshPlacer {
 public:
  MeshPlacer(const ir::Graph& graph, ops::DeviceGrid grid)
      : from_(graph), map_(graph.values.size(), -1) {
    placement().grid = std::move(grid);
  }

  MeshProgram run(const std::function<ir::Graph(ir::Graph)>& clean) {
    for (size_t s = 0; s < from_.states.size(); ++s) state_of_[from_.states[s].input] = s;
    find_divided_states();
    for (const ValueId input : from_.inputs) {
      at(input) = to().add_input(from_.spec(input));
      to().inputs.push_back(at(input));
    }
    add_states();
    for (const ir::Node& node : from_.nodes) {
      const ir::OriginScope origin(node.origin);
      visit(node);
    }
    for (const ValueId v : from_.outputs) to().outputs.push_back(at(v));
    write_states();
    result_.graph = clean(std::move(result_.graph));
    find_states();
    find_inputs();
    return std::move(result_);
  }

 private:
  /// A variable whose parts are states of the graph.
  struct Divided {
    std::vector<size_t> slots;  ///< of the parts
    Sharding sharding;
    Layout layout;
    ValueId whole = -1;  ///< in the new graph
    size_t slot = 0;     ///< in the new graph
  };

  ir::Graph& to() { return result_.graph; }
  MeshPlacement& placement() { return result_.placement; }
  const MeshPlacement& placement() const { return result_.placement; }
  ValueId& at(ValueId v) { return map_[static_cast<size_t>(v)]; }

  std::optional<int64_t> axis_number(const std::string& name, int64_t parts) const {
    const auto& names = placement().grid.axis_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    const auto axis = found - names.begin();
    if (placement().grid.axis_sizes[static_cast<size_t>(axis)] != parts) return std::nullopt;
    return axis;
  }

  /// The layout of an array with this sharding; nullopt if its axes are not axes of the mesh.
  std::optional<Layout> layout_of(const Sharding& sharding, int rank) const {
    Layout layout(static_cast<size_t>(rank), -1);
    for (const ShardedDimension& d : sharding) {
      const auto axis = axis_number(d.mesh_axis, d.parts);
      if (!axis || std::find(layout.begin(), layout.end(), *axis) != layout.end())
        return std::nullopt;
      layout[static_cast<size_t>(d.dimension)] = *axis;
    }
    return layout;
  }

  /// The parts that a concatenation joins, including parts of nested concatenations.
  Parts joined_parts(const ir::Node& node) const {
    Parts parts;
    const ir::Node* level = &node;
    std::vector<ValueId> values = {node.outputs[0]};
    while (joins_along_mesh(level)) {
      std::vector<ValueId> finer;
      for (const ValueId v : values) {
        const ir::Node* const join = from_.definition(v);
        if (!joins_along_mesh(join) || !(join->attrs == level->attrs) ||
            join->inputs.size() != level->inputs.size())
          return parts;
        finer.insert(finer.end(), join->inputs.begin(), join->inputs.end());
      }
      parts.sharding.push_back({static_cast<int>(level->attrs.integer("axis")),
                                static_cast<int64_t>(level->inputs.size()),
                                level->attrs.string("mesh_axis")});
      values = parts.values = std::move(finer);
      level = from_.definition(values[0]);
    }
    return parts;
  }

  /// The array of which `values` are the parts, if they are slices of one array.
  std::optional<ValueId> sliced_array(std::vector<ValueId> values, const Sharding& sharding) const {
    for (size_t k = sharding.size(); k-- > 0;) {
      std::vector<ValueId> coarser;
      const auto count = static_cast<size_t>(sharding[k].parts);
      for (size_t i = 0; i < values.size(); ++i) {
        const ir::Node* const slice = from_.definition(values[i]);
        if (!is_part(slice, sharding[k], i % count)) return std::nullopt;
        if (i % count == 0) coarser.push_back(slice->inputs[0]);
        if (slice->inputs[0] != coarser.back()) return std::nullopt;
      }
      values = std::move(coarser);
    }
    return values[0];
  }

  bool is_part(const ir::Node* slice, const ShardedDimension& d, size_t number) const {
    if (!is_op(slice, "slice") || !slice->attrs.has("mesh_axis")) return false;
    const auto dimension = static_cast<size_t>(d.dimension);
    const ir::Attrs& attrs = slice->attrs;
    const int64_t size = from_.spec(slice->inputs[0]).shape[d.dimension] / d.parts;
    return attrs.string("mesh_axis") == d.mesh_axis && attrs.integer("axis") == d.dimension &&
           attrs.integer("parts") == d.parts &&
           attrs.ints("starts")[dimension] == static_cast<int64_t>(number) * size;
  }

  void find_divided_states() {
    std::vector<bool> is_inner(from_.values.size());
    for (const ir::Node& node : from_.nodes) {
      if (!joins_along_mesh(&node)) continue;
      for (const ValueId v : node.inputs) is_inner[static_cast<size_t>(v)] = true;
    }
    for (const ir::Node& node : from_.nodes) {
      if (!joins_along_mesh(&node) || is_inner[static_cast<size_t>(node.outputs[0])]) continue;
      add_divided(joined_parts(node), from_.spec(node.outputs[0]).shape.rank());
    }
  }

  void add_divided(const Parts& parts, int rank) {
    Divided divided{.slots = {}, .sharding = parts.sharding, .layout = {}};
    for (const ValueId v : parts.values) {
      const auto state = state_of_.find(v);
      if (state == state_of_.end() || part_of_divided_.contains(state->second)) return;
      divided.slots.push_back(state->second);
    }
    const std::optional<Layout> layout = layout_of(parts.sharding, rank);
    if (divided.slots.empty() || !layout) return;
    divided.layout = *layout;
    for (const size_t slot : divided.slots) part_of_divided_[slot] = divided_.size();
    divided_.push_back(std::move(divided));
  }

  void add_states() {
    for (size_t s = 0; s < from_.states.size(); ++s) {
      const ir::StateSlot& state = from_.states[s];
      const auto part = part_of_divided_.find(s);
      if (part == part_of_divided_.end()) {
        at(state.input) = to().add_input(from_.spec(state.input));
        to().states.push_back({state.variable, at(state.input), -1});
        plain_slots_.emplace_back(s, to().states.size() - 1);
        continue;
      }
      Divided& divided = divided_[part->second];
      if (divided.whole < 0) add_whole(divided);
    }
    for (const Divided& divided : divided_) {  // for uses of parts that are not joined
      const auto slices = split(divided.whole, divided.sharding);
      for (size_t i = 0; i < slices.size(); ++i)
        at(from_.states[divided.slots[i]].input) = slices[i];
    }
  }

  void add_whole(Divided& divided) {
    TensorSpec spec = from_.spec(from_.states[divided.slots[0]].input);
    for (const ShardedDimension& d : divided.sharding) spec.shape[d.dimension] *= d.parts;
    divided.whole = to().add_input(spec);
    divided.slot = to().states.size();
    StateOnMesh state{.parts = {}, .layout = divided.layout};
    for (const size_t slot : divided.slots) state.parts.push_back(from_.states[slot].variable);
    to().states.push_back({state.parts[0], divided.whole, -1});
    by_first_part_[state.parts[0].id()] = std::move(state);
  }

  std::vector<ValueId> split(ValueId whole, const Sharding& sharding) {
    std::vector<ValueId> parts = {whole};
    for (const ShardedDimension& d : sharding) {
      std::vector<ValueId> finer;
      for (const ValueId v : parts) {
        const auto axis = static_cast<size_t>(d.dimension);
        ir::Ints limits = to().spec(v).shape.dims();
        ir::Ints starts(limits.size(), 0);
        const int64_t size = limits[axis] / d.parts;
        TensorSpec spec = to().spec(v);
        spec.shape[d.dimension] = size;
        for (int64_t i = 0; i < d.parts; ++i) {
          starts[axis] = i * size;
          limits[axis] = (i + 1) * size;
          finer.push_back(to().add_node(
              ops::kSlice, {v},
              {{"starts", starts}, {"limits", limits}, {"strides", ir::Ints(starts.size(), 1)}}, {},
              {spec})[0]);
        }
      }
      parts = std::move(finer);
    }
    return parts;
  }

  ValueId join(std::vector<ValueId> parts, const Sharding& sharding) {
    for (size_t k = sharding.size(); k-- > 0;) {
      const auto count = static_cast<std::ptrdiff_t>(sharding[k].parts);
      std::vector<ValueId> coarser;
      for (auto part = parts.begin(); part != parts.end(); part += count) {
        TensorSpec spec = to().spec(*part);
        spec.shape[sharding[k].dimension] *= count;
        coarser.push_back(to().add_node(ops::kConcatenate, std::vector<ValueId>(part, part + count),
                                        {{"axis", static_cast<int64_t>(sharding[k].dimension)}}, {},
                                        {spec})[0]);
      }
      parts = std::move(coarser);
    }
    return parts[0];
  }

  void visit(const ir::Node& node) {
    if (joins_along_mesh(&node) && replace_join(node)) return;
    std::vector<ValueId> inputs;
    for (const ValueId v : node.inputs) inputs.push_back(at(v));
    std::vector<TensorSpec> specs;
    for (const ValueId v : node.outputs) specs.push_back(from_.spec(v));
    const auto outputs =
        to().add_node(*node.op, std::move(inputs), node.attrs, node.regions, std::move(specs));
    for (size_t i = 0; i < outputs.size(); ++i) at(node.outputs[i]) = outputs[i];
  }

  bool replace_join(const ir::Node& node) {
    const Parts parts = joined_parts(node);
    const ValueId result = node.outputs[0];
    const TensorSpec& spec = from_.spec(result);
    if (const auto array = sliced_array(parts.values, parts.sharding)) {
      const auto layout = layout_of(parts.sharding, spec.shape.rank());
      if (!layout) return false;
      at(result) = to().add_node(ops::kMeshLayout, {at(*array)},
                                 ops::mesh_layout_attrs(placement().grid, *layout), {}, {spec})[0];
      return true;
    }
    for (const Divided& divided : divided_) {
      const bool is_it = std::equal(
          divided.slots.begin(), divided.slots.end(), parts.values.begin(), parts.values.end(),
          [&](size_t slot, ValueId v) { return from_.states[slot].input == v; });
      if (is_it) at(result) = divided.whole;
      if (is_it) return true;
    }
    return false;
  }

  void write_states() {
    for (const auto& [from, slot] : plain_slots_) {
      const ValueId output = from_.states[from].output;
      if (output >= 0) to().states[slot].output = at(output);
    }
    for (const Divided& divided : divided_) {
      std::vector<ValueId> outputs;
      std::vector<ValueId> mapped;
      bool is_written = false;
      for (const size_t slot : divided.slots) {
        const ir::StateSlot& state = from_.states[slot];
        is_written = is_written || state.output >= 0;
        outputs.push_back(state.output >= 0 ? state.output : state.input);
        mapped.push_back(at(outputs.back()));
      }
      if (!is_written) continue;
      const auto array = sliced_array(outputs, divided.sharding);
      to().states[divided.slot].output = array ? at(*array) : join(mapped, divided.sharding);
    }
  }

  /// Finds the states in the order of the new graph, which has no unused states.
  void find_states() {
    for (const ir::StateSlot& slot : result_.graph.states) {
      const auto divided = by_first_part_.find(slot.variable.id());
      if (divided != by_first_part_.end()) {
        placement().states.push_back(divided->second);
      } else {
        const auto rank = static_cast<size_t>(result_.graph.spec(slot.input).shape.rank());
        placement().states.push_back({{slot.variable}, Layout(rank, -1)});
      }
    }
  }

  /// An input is divided if all its uses divide it by rows in the same way; otherwise it is whole.
  void find_inputs() {
    const ir::Graph& graph = result_.graph;
    for (const ValueId input : graph.inputs) {
      const Layout whole(static_cast<size_t>(graph.spec(input).shape.rank()), -1);
      std::optional<Layout> layout;
      bool is_divided = true;
      for (const ir::Node& node : graph.nodes) {
        if (std::find(node.inputs.begin(), node.inputs.end(), input) == node.inputs.end()) continue;
        is_divided = is_divided && node.op == &ops::kMeshLayout;
        if (is_divided && !layout) layout = node.attrs.ints("layout");
        is_divided = is_divided && *layout == node.attrs.ints("layout");
      }
      is_divided = is_divided && layout &&
                   std::all_of(layout->begin() + (layout->empty() ? 0 : 1), layout->end(),
                               [](int64_t axis) { return axis < 0; });
      placement().inputs.push_back(is_divided ? *layout : whole);
    }
  }

  const ir::Graph& from_;
  std::vector<ValueId> map_;
  MeshProgram result_;
  std::map<ValueId, size_t> state_of_;
  std::map<size_t, size_t> part_of_divided_;
  std::vector<Divided> divided_;
  std::vector<std::pair<size_t, size_t>> plain_slots_;  // in the old and the new graph
  std::map<uint64_t, StateOnMesh> by_first_part_;
};

}  // namespace

std::optional<MeshProgram> place_on_mesh(const ir::Graph& graph,
                                         const std::function<ir::Graph(ir::Graph)>& clean) {
  std::optional<ops::DeviceGrid> grid = grid_in(graph);
  if (!grid) return std::nullopt;
  MeshProgram program = MeshPlacer(graph, std::move(*grid)).run(clean);
  ir::verify(program.graph);
  return program;
}

}  // namespace antler::pjrt
