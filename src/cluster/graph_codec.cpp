#include "cluster/graph_codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <training.pb.h>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "antler/ops/op_list.h"

namespace antler::cluster {
namespace {

/// Limit for the depth of nested regions. Deeper nesting could exhaust the stack.
constexpr int kDeepest = 16;
/// Limit for one value; a larger one is treated as an error.
constexpr int64_t kMostElements = int64_t{1} << 40;
/// Largest array of a structure, for which memory is reserved.
constexpr int64_t kLargestArgument = int64_t{1} << 30;

/// Ops whose attributes refer to objects of this process.
constexpr std::array kLocalOps = {"host_map", "worker_all_reduce", "worker_all_reduce_start",
                                  "worker_all_reduce_finish", "worker_all_gather"};

bool is_local(std::string_view op) {
  return std::find(kLocalOps.begin(), kLocalOps.end(), op) != kLocalOps.end();
}

}  // namespace

void encode(const TensorSpec& spec, Spec& message) {
  message.set_dtype(dtype_name(spec.dtype));
  for (const int64_t dim : spec.shape) message.add_dims(dim);
}

TensorSpec decode(const Spec& message) {
  int64_t elements = 1;
  for (const int64_t dim : message.dims()) {
    if (dim < 0 || (dim > 0 && elements > kMostElements / dim))
      throw ValueError("A graph or array of another process has an invalid shape.");
    elements *= std::max<int64_t>(dim, 1);
  }
  return {parse_dtype(message.dtype()),
          Shape(std::vector<int64_t>(message.dims().begin(), message.dims().end()))};
}

namespace {

void encode(const std::string& name, const ir::Attr& value, Attribute& message) {
  message.set_name(name);
  std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) {
          message.set_flag(v);
        } else if constexpr (std::is_same_v<T, int64_t>) {
          message.set_integer(v);
        } else if constexpr (std::is_same_v<T, double>) {
          message.set_number(v);
        } else if constexpr (std::is_same_v<T, std::string>) {
          message.set_string(v);
        } else if constexpr (std::is_same_v<T, ir::Ints>) {
          message.mutable_integers()->mutable_values()->Add(v.begin(), v.end());
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          message.mutable_numbers()->mutable_values()->Add(v.begin(), v.end());
        } else if constexpr (std::is_same_v<T, DType>) {
          message.set_dtype(dtype_name(v));
        } else {
          cluster::encode(v, *message.mutable_array());
        }
      },
      value);
}

ir::Attr decode(const Attribute& message) {
  switch (message.value_case()) {
    case Attribute::kFlag:
      return message.flag();
    case Attribute::kInteger:
      return message.integer();
    case Attribute::kNumber:
      return message.number();
    case Attribute::kString:
      return message.string();
    case Attribute::kIntegers:
      return ir::Ints(message.integers().values().begin(), message.integers().values().end());
    case Attribute::kNumbers:
      return std::vector<double>(message.numbers().values().begin(),
                                 message.numbers().values().end());
    case Attribute::kDtype:
      return parse_dtype(message.dtype());
    case Attribute::kArray:
      return cluster::decode(message.array());
    case Attribute::VALUE_NOT_SET:
      break;
  }
  throw ValueError("Attribute `{}` of a graph of another process has no value.", message.name());
}

using VariableOf = std::function<Variable(uint64_t id, const TensorSpec& spec)>;

/// The specs of a node's outputs. In this process a missing attribute would be a bug; in a message
/// it is invalid input.
std::vector<TensorSpec> inferred(const ir::OpDef& op, const ir::InferArgs& args) {
  try {
    return op.infer(args);
  } catch (const InternalError& error) {
    throw ValueError("A graph of another process has a wrong node {}: {}", op.name, error.what());
  }
}

ir::Graph decode_graph(const Graph& message, const VariableOf& variable, int depth) {
  if (depth > kDeepest) throw ValueError("A graph of another process is nested too deeply.");
  ir::Graph graph;
  const auto value = [&](int32_t id) {
    if (id < 0 || static_cast<size_t>(id) >= graph.values.size())
      throw ValueError("A graph of another process uses value {} before it is defined.", id);
    return id;
  };
  for (const Spec& spec : message.inputs()) graph.inputs.push_back(graph.add_input(decode(spec)));
  for (const GraphState& state : message.states()) {
    const TensorSpec spec = decode(state.spec());
    if (variable == nullptr) throw ValueError("A graph of another process has unexpected states.");
    graph.states.push_back({variable(state.variable(), spec), graph.add_input(spec), -1});
  }
  for (const GraphNode& node : message.nodes()) {
    const ir::OpDef* op = ops::find_op(node.op());
    if (op == nullptr || is_local(node.op()))
      throw ValueError("A graph of another process has an unknown op `{}`.", node.op());
    std::vector<ir::ValueId> inputs;
    std::vector<TensorSpec> specs;
    for (const int32_t id : node.inputs()) {
      inputs.push_back(value(id));
      specs.push_back(graph.spec(id));
    }
    ir::Attrs attributes;
    for (const Attribute& attribute : node.attributes())
      attributes.set(attribute.name(), decode(attribute));
    ir::Regions regions;
    for (const Graph& region : node.regions()) {
      regions.push_back(
          std::make_shared<const ir::Graph>(decode_graph(region, nullptr, depth + 1)));
    }
    std::vector<TensorSpec> outputs = inferred(*op, {specs, attributes, regions});
    graph.add_node(*op, std::move(inputs), std::move(attributes), std::move(regions),
                   std::move(outputs));
  }
  for (const int32_t id : message.outputs()) graph.outputs.push_back(value(id));
  for (int i = 0; i < message.states_size(); ++i) {
    const int32_t output = message.states(i).output();
    ir::StateSlot& slot = graph.states[static_cast<size_t>(i)];
    if (output < 0) continue;
    slot.output = value(output);
    if (!(graph.spec(output) == graph.spec(slot.input)))
      throw ValueError("A graph of another process changes the type of a variable.");
  }
  return graph;
}

Nest decode_structure(const Structure& message, int depth) {
  if (depth > kDeepest) throw ValueError("Arguments of another process are nested too deeply.");
  const auto child = [&](int i) { return decode_structure(message.children(i), depth + 1); };
  switch (message.kind()) {
    case Structure::ARRAY: {
      const TensorSpec spec = decode(message.spec());
      if (spec.shape.num_elements() > kLargestArgument)
        throw ValueError("An argument of another process is too large: {}.", spec.shape);
      return Tensor::empty(spec.dtype, spec.shape);
    }
    case Structure::NONE:
      return {};
    case Structure::LIST: {
      std::vector<Nest> list;
      list.reserve(static_cast<size_t>(message.children_size()));
      for (int i = 0; i < message.children_size(); ++i) list.push_back(child(i));
      return Nest(std::move(list));  // braces would make a list of one list
    }
    case Structure::DICT: {
      if (message.keys_size() != message.children_size()) break;
      Nest::Items items;
      for (int i = 0; i < message.children_size(); ++i)
        items.emplace_back(message.keys(i), child(i));
      return Nest::dict(std::move(items));
    }
    default:
      break;
  }
  throw ValueError("Arguments of another process have an invalid structure.");
}

}  // namespace

void encode(const ir::Graph& graph, Graph& message) {
  std::vector<int32_t> number(graph.values.size(), -1);
  int32_t next = 0;
  const auto define = [&](ir::ValueId v) { number[static_cast<size_t>(v)] = next++; };
  const auto use = [&](ir::ValueId v) { return number[static_cast<size_t>(v)]; };
  for (const ir::ValueId v : graph.inputs) {
    define(v);
    encode(graph.spec(v), *message.add_inputs());
  }
  for (const ir::StateSlot& slot : graph.states) {
    define(slot.input);
    GraphState& state = *message.add_states();
    state.set_variable(slot.variable.id());
    encode(graph.spec(slot.input), *state.mutable_spec());
  }
  for (const ir::Node& node : graph.nodes) {
    if (is_local(node.op->name)) {
      throw NotImplementedError(
          "The function uses `{}`, which cannot run in another process: it refers to objects that "
          "exist in this one only.",
          node.op->name);
    }
    GraphNode& added = *message.add_nodes();
    added.set_op(node.op->name);
    for (const ir::ValueId v : node.inputs) added.add_inputs(use(v));
    for (const auto& [name, value] : node.attrs.items())
      encode(name, value, *added.add_attributes());
    for (const ir::GraphPtr& region : node.regions) encode(*region, *added.add_regions());
    for (const ir::ValueId v : node.outputs) define(v);
  }
  for (const ir::ValueId v : graph.outputs) message.add_outputs(use(v));
  for (size_t i = 0; i < graph.states.size(); ++i) {
    const ir::ValueId output = graph.states[i].output;
    message.mutable_states(static_cast<int>(i))->set_output(output < 0 ? -1 : use(output));
  }
}

ir::Graph decode(const Graph& message, const VariableOf& variable) {
  return decode_graph(message, variable, 0);
}

void encode(const Tensor& value, Array& message) {
  encode(value.spec(), *message.mutable_spec());
  message.set_data(value.data(), value.bytes());
}

Tensor decode(const Array& message) {
  const TensorSpec spec = decode(message.spec());
  return split_bytes(message.data(), {spec})[0];
}

void encode(const Nest& value, Structure& message) {
  if (value.is_none()) {
    message.set_kind(Structure::NONE);
  } else if (value.is_tensor()) {
    message.set_kind(Structure::ARRAY);
    encode(value.tensor().spec(), *message.mutable_spec());
  } else {
    message.set_kind(value.is_list() ? Structure::LIST : Structure::DICT);
    for (const auto& [key, child] : value.items()) {
      if (value.is_dict()) message.add_keys(key);
      cluster::encode(child, *message.add_children());
    }
  }
}

Nest decode(const Structure& message) { return decode_structure(message, 0); }

void append(const Tensor& value, std::string& bytes) {
  bytes.append(static_cast<const char*>(value.data()), value.bytes());
}

Tensors split_bytes(std::string_view bytes, const std::vector<TensorSpec>& specs) {
  size_t expected = 0;
  for (const TensorSpec& spec : specs)
    expected += static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
  if (expected != bytes.size()) {
    throw ValueError("Expected arrays of {} bytes from another process. Received {} bytes.",
                     expected, bytes.size());
  }
  Tensors values;
  for (const TensorSpec& spec : specs) {
    Tensor value = Tensor::empty(spec.dtype, spec.shape);
    std::memcpy(value.mutable_data(), bytes.data(), value.bytes());
    bytes.remove_prefix(value.bytes());
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace antler::cluster
