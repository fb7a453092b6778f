#include <algorithm>
#include <cctype>

#include "antler/base/error.h"
#include "base/strings.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/lowering.h"

namespace antler::pjrt {
namespace {

/// A name that MLIR accepts without quotes.
std::string module_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return result;
}

/// An argument of a module.
struct Argument {
  Value value;
  int64_t donated = -1;  ///< not negative: the result that may take its memory
  Layout layout = {};    ///< on a mesh; empty: whole on each device
};
using Arguments = std::vector<Argument>;

Values values_of(const Arguments& arguments) {
  Values values;
  for (const Argument& argument : arguments) values.push_back(argument.value);
  return values;
}

/// Empty without a mesh.
std::string sharding_attribute(const Emitter& emit, const Type& type, Layout layout) {
  if (emit.grid() == nullptr) return {};
  if (layout.empty()) layout.resize(type.dims.size(), -1);
  return "sdy.sharding = " + sharding_text(*emit.grid(), layout);
}

std::string module_attributes(const Emitter& emit) {
  if (emit.grid() != nullptr) {
    return format("attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : i32}} ",
                  device_count(*emit.grid()));
  }
  if (emit.replicas() == 1) return {};
  return format("attributes {{mhlo.num_replicas = {} : i32}} ", emit.replicas());
}

/// Writes the module around a function with a body. Results that may take the memory of an argument
/// have its layout; others are whole.
std::string write_module(const std::string& name, const Arguments& arguments, const Values& results,
                         const Emitter& emit) {
  std::string text = format("module @{} {}{{\n", module_name(name), module_attributes(emit));
  if (emit.grid() != nullptr) text += mesh_text(*emit.grid());
  text += "func.func public @main(";
  std::vector<Layout> layouts(results.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& [value, donated, layout] = arguments[i];
    if (i > 0) text += ", ";
    text += format("{}: {}", value.name, value.type.str());
    std::string attributes = sharding_attribute(emit, value.type, layout);
    if (donated >= 0) {
      layouts[static_cast<size_t>(donated)] = layout;
      if (!attributes.empty()) attributes += ", ";
      attributes += format("tf.aliasing_output = {} : i32", donated);
    }
    if (!attributes.empty()) text += format(" {{{}}}", attributes);
  }
  text += ") -> (";
  for (size_t i = 0; i < results.size(); ++i) {
    if (i > 0) text += ", ";
    text += results[i].type.str();
    const std::string attributes = sharding_attribute(emit, results[i].type, layouts[i]);
    if (!attributes.empty()) text += format(" {{{}}}", attributes);
  }
  text += ") {\n" + emit.text();
  const auto types = [](const Values& values) {
    return join(values, ", ", [](const Value& v) { return v.type.str(); });
  };
  if (results.empty()) {
    text += "\"func.return\"() : () -> ()\n";
  } else {
    text += format("\"func.return\"({}) : ({}) -> ()\n",
                   join(results, ", ", [](const Value& v) { return v.name; }), types(results));
  }
  return text + "}\n}\n";
}

/// Arguments for the graph's states, each with the result that may take its memory.
void add_states(const ir::Graph& graph, Emitter& emit, const MeshPlacement* mesh,
                Arguments& arguments) {
  int64_t written = 0;
  for (size_t i = 0; i < graph.states.size(); ++i) {
    const ir::StateSlot& state = graph.states[i];
    arguments.push_back({{emit.fresh(), type_of(graph.spec(state.input))},
                         state.output >= 0 ? written++ : -1,
                         mesh == nullptr ? Layout() : mesh->states[i].layout});
  }
}

/// lower_body() returns outputs first; programs return states first.
Values states_first(const ir::Graph& graph, const Values& results) {
  const auto outputs = results.begin() + static_cast<std::ptrdiff_t>(graph.outputs.size());
  Values ordered(outputs, results.end());
  ordered.insert(ordered.end(), results.begin(), outputs);
  return ordered;
}

Type stacked(int64_t count, Type type) {
  type.dims.insert(type.dims.begin(), count);
  return type;
}

/// The arguments of a block that follow the states.
void add_data(const ir::Graph& graph, const BlockForm& form, Emitter& emit,
              const MeshPlacement* mesh, Arguments& arguments) {
  const bool has_arrays = form.array_rows >= 0;
  if (has_arrays) {
    const int64_t batch = graph.spec(graph.inputs[0]).shape[0];
    arguments.push_back({{emit.fresh(), {"i32", {form.steps, batch}}},
                         -1,
                         mesh == nullptr ? Layout() : layout_of_rows(*mesh)});
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Type type = type_of(graph.spec(graph.inputs[i]));
    if (has_arrays) {
      type.dims[0] = form.array_rows;
      arguments.push_back({{emit.fresh(), std::move(type)}});
    } else {
      arguments.push_back({{emit.fresh(), stacked(form.steps, std::move(type))},
                           -1,
                           mesh == nullptr ? Layout() : layout_of_stack(mesh->inputs[i])});
    }
  }
}

/// Rows of an array.
Value take_rows(Emitter& emit, const Value& array, const Value& rows) {
  Type type = array.type;
  type.dims[0] = rows.type.dims[0];
  Ints offsets;
  for (int64_t i = 1; i < array.type.rank(); ++i) offsets.push_back(i);
  Ints sizes = array.type.dims;
  sizes[0] = 1;
  return emit.op("gather", {array, rows}, type,
                 format("dimension_numbers = #stablehlo.gather<offset_dims = [{}], "
                        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                        "slice_sizes = {}, indices_are_sorted = false",
                        join_ints(offsets), i64_array(sizes)));
}

/// The batch of step `i`.
Values batch_of(Emitter& emit, const BlockForm& form, std::span<const Value> data, const Value& i) {
  Values batch;
  if (form.array_rows < 0) {
    for (const Value& stack : data) batch.push_back(emit.take(stack, 0, i));
    return batch;
  }
  const Value rows = emit.take(data[0], 0, i);
  for (const Value& array : data.subspan(1)) batch.push_back(take_rows(emit, array, rows));
  return batch;
}

}  // namespace

Layout layout_of_stack(const Layout& batch) {
  Layout layout = batch;
  layout.insert(layout.begin(), -1);
  return layout;
}

Layout layout_of_rows(const MeshPlacement& mesh) {
  for (const Layout& input : mesh.inputs) {
    if (input.empty() || input[0] != mesh.inputs[0][0]) return {-1, -1};
  }
  return {-1, mesh.inputs[0][0]};
}

std::string lower_step(const ir::Graph& graph, const std::string& name, const MeshPlacement* mesh) {
  Emitter emit(replicas_of(graph), mesh == nullptr ? nullptr : &mesh->grid);
  Arguments arguments;
  add_states(graph, emit, mesh, arguments);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    arguments.push_back({{emit.fresh(), type_of(graph.spec(graph.inputs[i]))},
                         -1,
                         mesh == nullptr ? Layout() : mesh->inputs[i]});
  }
  Values inputs = values_of(arguments);
  std::rotate(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(graph.states.size()),
              inputs.end());
  const Values results = states_first(graph, lower_body(emit, graph, inputs));
  return write_module(name, arguments, results, emit);
}

std::string lower_constants(const ir::Graph& graph, const std::string& name) {
  Emitter emit;
  Arguments arguments;
  for (const ir::ValueId v : graph.inputs)
    arguments.push_back({{emit.fresh(), type_of(graph.spec(v))}});
  Values inputs = values_of(arguments);
  for (const ir::StateSlot& state : graph.states) {
    if (state.output >= 0)
      throw ValueError("`{}` changes the variable `{}`, which a constant cannot express.", name,
                       state.variable.path());
    inputs.push_back(emit.literal(state.variable.stored()));
  }
  return write_module(name, arguments, lower_body(emit, graph, inputs), emit);
}

std::string lower_block(const ir::Graph& graph, const std::string& name, const BlockForm& form,
                        const MeshPlacement* mesh) {
  Emitter emit(replicas_of(graph), mesh == nullptr ? nullptr : &mesh->grid);
  const Type count_type{"i32", {}};
  Arguments arguments;
  if (!form.runs_all) arguments.push_back({{emit.fresh(), count_type}});
  const size_t first_state = 1 + arguments.size();  // index in the loop's carried values
  add_states(graph, emit, mesh, arguments);
  const size_t states = graph.states.size();
  add_data(graph, form, emit, mesh, arguments);
  const Value one = emit.fill_int(1, count_type);

  // The carried values of the loop: the step's index, then all arguments, then the outputs so far.
  Values carried = {emit.fill_int(0, count_type)};
  for (const Argument& argument : arguments) carried.push_back(argument.value);
  const size_t first_output = carried.size();
  for (const ir::ValueId v : graph.outputs) {
    const Type type = type_of(graph.spec(v));
    carried.push_back(emit.fill(0, form.stacks_outputs ? stacked(form.steps, type) : type));
  }
  std::vector<Type> types;
  for (const Value& v : carried) types.push_back(v.type);

  const auto has_next = [&](const Values& v) {
    const Value count = form.runs_all ? emit.fill_int(form.steps, count_type) : v[1];
    return Values{emit.compare("LT", v[0], count)};
  };
  const auto step = [&](const Values& v) {
    const size_t first_data = first_state + states;
    const std::span<const Value> data = std::span(v).subspan(first_data, first_output - first_data);
    Values inputs = batch_of(emit, form, data, v[0]);
    const std::span<const Value> held = std::span(v).subspan(first_state, states);
    inputs.insert(inputs.end(), held.begin(), held.end());
    const Values results = lower_body(emit, graph, inputs);
    Values next = v;
    next[0] = emit.binary("add", v[0], one);
    size_t written = graph.outputs.size();
    for (size_t i = 0; i < states; ++i) {
      if (graph.states[i].output >= 0) next[first_state + i] = results[written++];
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      Value& output = next[first_output + i];
      output = form.stacks_outputs ? emit.put(output, 0, v[0], results[i]) : results[i];
    }
    return next;
  };
  const Emitter::Region regions[] = {{types, has_next}, {types, step}};
  const Values last = emit.op_with_regions("while", carried, types, regions);
  Values results;
  for (size_t i = 0; i < states; ++i) {
    if (graph.states[i].output >= 0) results.push_back(last[first_state + i]);
  }
  results.insert(results.end(), last.begin() + static_cast<std::ptrdiff_t>(first_output),
                 last.end());
  return write_module(name, arguments, results, emit);
}

}  // namespace antler::pjrt
