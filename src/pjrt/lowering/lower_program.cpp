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
                         const std::string& body) {
  std::string text = format("module @{} {{\nfunc.func public @main(", module_name(name));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ", ";
    text += format("{}: {}", arguments[i].name, arguments[i].type.str());
    if (donated[i] >= 0) text += format(" {{tf.aliasing_output = {} : i32}}", donated[i]);
  }
  const auto types = [](const Values& values) {
    return join(values, ", ", [](const Value& v) { return v.type.str(); });
  };
  text += format(") -> ({}) {{\n", types(results));
  text += body;
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

/// Element `i` along the first axis.
Value row(Emitter& emit, const Value& stack, const Value& i, const Value& zero) {
  Values starts(stack.type.dims.size(), zero);
  starts[0] = i;
  Ints sizes = stack.type.dims;
  sizes[0] = 1;
  const Value slice = emit.dynamic_slice(stack, starts, sizes);
  return emit.reshape(slice, {sizes.begin() + 1, sizes.end()});
}

Value with_row(Emitter& emit, const Value& stack, const Value& i, const Value& zero,
               const Value& value) {
  Values starts(stack.type.dims.size(), zero);
  starts[0] = i;
  Ints dims = value.type.dims;
  dims.insert(dims.begin(), 1);
  return emit.dynamic_update_slice(stack, emit.reshape(value, dims), starts);
}

}  // namespace

std::string lower_step(const ir::Graph& graph, const std::string& name) {
  Emitter emit;
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
  return write_module(name, arguments, donated, results, emit.text());
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
  return write_module(name, arguments, donated, results, emit.text());
}

std::string lower_block(const ir::Graph& graph, const std::string& name, int64_t block,
                        bool stacks_outputs) {
  Emitter emit;
  const Type count_type{"i32", {}};
  Values arguments = {{emit.fresh(), count_type}};
  std::vector<int64_t> donated = {-1};
  add_states(graph, emit, arguments, donated);
  const size_t states = graph.states.size();
  for (const ir::ValueId v : graph.inputs) {
    arguments.push_back({emit.fresh(), stacked(block, type_of(graph.spec(v)))});
    donated.push_back(-1);
  }
  const Value zero = emit.fill_int(0, count_type);
  const Value one = emit.fill_int(1, count_type);

  // What the loop carries: the step's index, then all arguments, then the outputs so far.
  Values carried = {zero};
  carried.insert(carried.end(), arguments.begin(), arguments.end());
  const size_t first_output = carried.size();
  for (const ir::ValueId v : graph.outputs) {
    const Type type = type_of(graph.spec(v));
    carried.push_back(emit.fill(0, stacks_outputs ? stacked(block, type) : type));
  }
  std::vector<Type> types;
  for (const Value& v : carried) types.push_back(v.type);

  const Emitter::Region regions[] = {
      {types, [&](const Values& v) { return Values{emit.compare("LT", v[0], v[1])}; }},
      {types, [&](const Values& v) {
         Values inputs;
         for (size_t i = 0; i < graph.inputs.size(); ++i)
           inputs.push_back(row(emit, v[2 + states + i], v[0], zero));
         for (size_t i = 0; i < states; ++i) inputs.push_back(v[2 + i]);
         const Values results = lower_body(emit, graph, inputs);
         Values next = v;
         next[0] = emit.binary("add", v[0], one);
         size_t written = graph.outputs.size();
         for (size_t i = 0; i < states; ++i) {
           if (graph.states[i].output >= 0) next[2 + i] = results[written++];
         }
         for (size_t i = 0; i < graph.outputs.size(); ++i) {
           Value& output = next[first_output + i];
           output = stacks_outputs ? with_row(emit, output, v[0], zero, results[i]) : results[i];
         }
         return next;
       }}};
  const Values last = emit.op_with_regions("while", carried, types, regions);
  Values results;
  for (size_t i = 0; i < states; ++i) {
    if (graph.states[i].output >= 0) results.push_back(last[2 + i]);
  }
  results.insert(results.end(), last.begin() + static_cast<std::ptrdiff_t>(first_output),
                 last.end());
  return write_module(name, arguments, donated, results, emit.text());
}

}  // namespace antler::pjrt
