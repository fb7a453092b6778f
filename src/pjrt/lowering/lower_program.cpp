#include <cctype>

#include "antler/base/error.h"
#include "base/strings.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/lowering.h"

namespace antler::pjrt {
namespace {

/// A name that MLIR takes without quotes.
std::string module_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return result;
}

/// Writes the module around a function with a body. An argument whose entry in `donated` is not
/// negative may lend its memory to that result.
std::string write_module(const std::string& name, const Values& arguments,
                         const std::vector<int64_t>& donated, const Values& results,
                         Emitter& emit) {
  std::string text = format("module @{} ", module_name(name));
  if (emit.replicas() > 1)
    text += format("attributes {{mhlo.num_replicas = {} : i32}} ", emit.replicas());
  text += "{\nfunc.func public @main(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    text += format("{}: {}", arguments[i].name, arguments[i].type.str());
    if (donated[i] >= 0) text += format(" {{tf.aliasing_output = {} : i32}}", donated[i]);
  }
  const auto types = [](const Values& values) {
    return join(values, ", ", [](const Value& v) { return v.type.str(); });
  };
  text += format(") -> ({}) {{\n", types(results));
  text += emit.text();
  if (results.empty()) {
    text += "\"func.return\"() : () -> ()\n";
  } else {
    text += format("\"func.return\"({}) : ({}) -> ()\n",
                   join(results, ", ", [](const Value& v) { return v.name; }), types(results));
  }
  return text + "}\n}\n";
}

/// Arguments for the graph's states, with the results whose memory they may become.
void add_states(const ir::Graph& graph, Emitter& emit, Values& arguments,
                std::vector<int64_t>& donated) {
  int64_t written = 0;
  for (const ir::StateSlot& state : graph.states) {
    arguments.push_back({emit.fresh(), type_of(graph.spec(state.input))});
    donated.push_back(state.output >= 0 ? written++ : -1);
  }
}

/// lower_body() gives outputs first; programs give states first.
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

/// The types of a block's arguments behind the states.
std::vector<Type> data_types(const ir::Graph& graph, const BlockForm& form) {
  std::vector<Type> types;
  const bool has_arrays = form.array_rows >= 0;
  if (has_arrays) {
    const int64_t batch = graph.spec(graph.inputs[0]).shape[0];
    types.push_back({"i32", {form.steps, batch}});
  }
  for (const ir::ValueId v : graph.inputs) {
    Type type = type_of(graph.spec(v));
    if (has_arrays) {
      type.dims[0] = form.array_rows;
      types.push_back(std::move(type));
    } else {
      types.push_back(stacked(form.steps, std::move(type)));
    }
  }
  return types;
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

std::string lower_step(const ir::Graph& graph, const std::string& name) {
  Emitter emit(replicas_of(graph));
  Values arguments;
  std::vector<int64_t> donated;
  add_states(graph, emit, arguments, donated);
  const size_t states = arguments.size();
  for (const ir::ValueId v : graph.inputs) {
    arguments.push_back({emit.fresh(), type_of(graph.spec(v))});
    donated.push_back(-1);
  }
  Values inputs(arguments.begin() + static_cast<std::ptrdiff_t>(states), arguments.end());
  inputs.insert(inputs.end(), arguments.begin(),
                arguments.begin() + static_cast<std::ptrdiff_t>(states));
  const Values results = states_first(graph, lower_body(emit, graph, inputs));
  return write_module(name, arguments, donated, results, emit);
}

std::string lower_constants(const ir::Graph& graph, const std::string& name) {
  Emitter emit;
  Values arguments;
  for (const ir::ValueId v : graph.inputs)
    arguments.push_back({emit.fresh(), type_of(graph.spec(v))});
  Values inputs = arguments;
  for (const ir::StateSlot& state : graph.states) {
    if (state.output >= 0)
      throw ValueError("`{}` changes the variable `{}`, which a constant cannot express.", name,
                       state.variable.path());
    inputs.push_back(emit.literal(state.variable.stored()));
  }
  const Values results = lower_body(emit, graph, inputs);
  const std::vector<int64_t> donated(arguments.size(), -1);
  return write_module(name, arguments, donated, results, emit);
}

std::string lower_block(const ir::Graph& graph, const std::string& name, const BlockForm& form) {
  Emitter emit(replicas_of(graph));
  const Type count_type{"i32", {}};
  Values arguments;
  std::vector<int64_t> donated;
  if (!form.runs_all) {
    arguments.push_back({emit.fresh(), count_type});
    donated.push_back(-1);
  }
  const size_t first_state = 1 + arguments.size();  // in what the loop carries
  add_states(graph, emit, arguments, donated);
  const size_t states = graph.states.size();
  for (const Type& type : data_types(graph, form)) {
    arguments.push_back({emit.fresh(), type});
    donated.push_back(-1);
  }
  const Value one = emit.fill_int(1, count_type);

  // What the loop carries: the step's index, then all arguments, then the outputs so far.
  Values carried = {emit.fill_int(0, count_type)};
  carried.insert(carried.end(), arguments.begin(), arguments.end());
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
  return write_module(name, arguments, donated, results, emit);
}

}  // namespace antler::pjrt
