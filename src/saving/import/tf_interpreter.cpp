#include "saving/import/tf_interpreter.h"

#include <charconv>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/ir/tracer.h"
#include "antler/ops/control_flow.h"
#include "saving/import/tf_call.h"
#include "saving/import/tf_list.h"

namespace antler::saving {
namespace {

constexpr int kMaxDepth = 100;

template <class... Args>
[[noreturn]] void damaged(FormatPattern<std::type_identity_t<Args>...> problem,
                          const Args&... args) {
  throw IOError("The SavedModel is damaged: {}.", format(problem, args...));
}

/// A reference to a value: "name" or "name:1" in the main graph, "name:output:1" in a function.
struct Reference {
  std::string_view node;
  std::string_view output;
  size_t index = 0;

  explicit Reference(std::string_view text) : node(text.substr(0, text.find(':'))) {
    if (node.size() == text.size()) return;
    const std::string_view rest = text.substr(node.size() + 1);
    const size_t colon = rest.find(':');
    const std::string_view number = colon == std::string_view::npos ? rest : rest.substr(colon + 1);
    if (colon != std::string_view::npos) output = rest.substr(0, colon);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc() || end != number.data() + number.size()) {
      damaged("'{}' does not name a value", text);
    }
  }
};

/// Index of the first output with this name.
size_t first_output(std::string_view op, std::string_view output) {
  if (op == "TopKV2") return output == "indices" ? 1 : 0;
  if (op.starts_with("FusedBatchNorm")) {
    return output == "y" || output.empty() ? 0 : output == "batch_mean" ? 1 : 2;
  }
  return 0;
}

const io::TfAttribute& attribute(const io::TfNode& node, const char* name) {
  const auto it = node.attributes.find(name);
  if (it == node.attributes.end()) {
    damaged("the node '{}' ({}) has no `{}`", node.name, node.op, name);
  }
  return it->second;
}

bool known(const TfValue& value) {
  return value.variable == TfValue::kNone && !value.list && value.tensor.is_value();
}

}  // namespace

/// The nodes of one graph with the values computed so far.
class TfInterpreter::Body {
 public:
  Body(TfInterpreter& interpreter, const std::vector<io::TfNode>& nodes,
       std::unordered_map<std::string, TfValue> given)
      : all_(interpreter),
        nodes_(nodes),
        index_(interpreter.index_of(nodes)),
        given_(std::move(given)),
        values_(nodes.size()) {}

  TfValues get(const std::vector<std::string>& references) {
    TfValues result;
    for (const std::string& text : references) {
      const Reference reference(text);
      if (const auto it = given_.find(std::string(reference.node)); it != given_.end()) {
        result.push_back(it->second);
        continue;
      }
      compute(node_at(reference.node));
      result.push_back(value(text));
    }
    return result;
  }

 private:
  size_t node_at(std::string_view name) const {
    const auto it = index_.find(name);
    if (it == index_.end()) damaged("there is no node '{}'", name);
    return it->second;
  }

  const TfValue& value(const std::string& text) const {
    const Reference reference(text);
    if (const auto it = given_.find(std::string(reference.node)); it != given_.end()) {
      return it->second;
    }
    const size_t at = node_at(reference.node);
    const size_t output = first_output(nodes_[at].op, reference.output) + reference.index;
    const std::optional<TfValues>& outputs = values_[at];
    if (!outputs || output >= outputs->size()) damaged("there is no value '{}'", text);
    return (*outputs)[output];
  }

  /// Computes the inputs of a node, then the node. An explicit stack is used because graphs are
  /// deep.
  void compute(size_t wanted) {
    std::vector<std::pair<size_t, size_t>> stack;  // node, number of inputs visited
    std::vector<bool> open(nodes_.size());
    const auto enter = [&](size_t at) {
      if (values_[at]) return;
      if (open[at]) {
        throw NotImplementedError("The SavedModel has a loop in TensorFlow 1's form at '{}'.",
                                  nodes_[at].name);
      }
      open[at] = true;
      stack.emplace_back(at, 0);
    };
    enter(wanted);
    while (!stack.empty()) {
      auto& [at, seen] = stack.back();
      const io::TfNode& node = nodes_[at];
      if (given_.contains(node.name) || seen == node.inputs.size()) {
        const size_t done = at;
        stack.pop_back();
        open[done] = false;
        if (!given_.contains(node.name)) values_[done] = run(node);
        continue;
      }
      const std::string_view input = Reference(node.inputs[seen++]).node;
      if (!given_.contains(std::string(input))) enter(node_at(input));
    }
  }

  TfValues run(const io::TfNode& node) {
    all_.count_step(node);
    TfValues inputs;
    for (const std::string& input : node.inputs) inputs.push_back(value(input));
    std::optional<ir::TraceSuspension> now;
    bool all_known = !inputs.empty();
    for (const TfValue& input : inputs) all_known = all_known && known(input);
    if (all_known && ir::Tracer::current() != nullptr) now.emplace();
    return outputs_of(node, std::move(inputs));
  }

  TfValues outputs_of(const io::TfNode& node, TfValues inputs) {
    const std::string_view op = node.op;
    if (op == "Const") return constant(node);
    if (op == "NoOp" || op == "DisableCopyOnRead" || op == "Assert") return {};
    if (op == "Identity" || op == "IdentityN") return inputs;
    if (op == "PlaceholderWithDefault") return inputs;
    if (op == "Placeholder") damaged("the placeholder '{}' is not an input", node.name);
    if (op == "VarHandleOp") {
      return {TfValue::handle(all_.variables_.find(variable_name(node)))};
    }
    if (op == "VariableV2" || op == "Variable") {
      const int64_t variable = all_.variables_.find(variable_name(node));
      if (variable < 0) damaged("the variable '{}' has no value", node.name);
      return {TfValue::of(all_.variables_.read(variable))};
    }
    if (op == "PartitionedCall" || op == "StatefulPartitionedCall") {
      return all_.call(attribute(node, "f").function, inputs);
    }
    if (op == "While" || op == "StatelessWhile") return loop(node, std::move(inputs));
    if (op == "If" || op == "StatelessIf") return branch(node, std::move(inputs));
    if (is_tf_list_op(op)) return run_tf_list_op(node, inputs);
    Tensors tensors;
    for (const TfValue& input : inputs) tensors.push_back(tensor_of(node, input));
    if (op == "ReadVariableOp") return {TfValue::of(tensors.at(0))};
    const TfOp compute = find_tf_op(op);
    if (compute == nullptr) {
      throw NotImplementedError(
          "The node '{}' of the SavedModel has the operation {}, which Antler does not have.",
          node.name, node.op);
    }
    TfValues outputs;
    for (Tensor& output : compute(TfCall(node, tensors))) outputs.push_back(TfValue::of(output));
    return outputs;
  }

  static TfValues constant(const io::TfNode& node) {
    const io::TfAttribute& value = attribute(node, "value");
    if (value.strings) return {TfValue::of(string_handles(*value.strings))};
    return {value.tensor ? TfValue::of(*value.tensor) : TfValue::handle(TfValue::kForeign)};
  }

  Tensor tensor_of(const io::TfNode& node, const TfValue& value) const {
    if (value.variable >= 0) return all_.variables_.read(value.variable);
    if (value.variable == TfValue::kForeign || value.list) {
      throw NotImplementedError(
          "The node '{}' ({}) of the SavedModel uses a string, a table or a resource that Antler "
          "does not have.",
          node.name, node.op);
    }
    return value.tensor;
  }

  static bool truth(const io::TfNode& node, const TfValues& values) {
    if (values.empty() || !known(values[0]) || values[0].tensor.size() != 1) {
      throw NotImplementedError("The length of the loop '{}' of the SavedModel depends on data.",
                                node.name);
    }
    return values[0].tensor.item() != 0;
  }

  TfValues loop(const io::TfNode& node, TfValues values) {
    const std::string& condition = attribute(node, "cond").function;
    const std::string& body = attribute(node, "body").function;
    while (truth(node, all_.call(condition, values))) {
      all_.count_step(node);
      values = all_.call(body, values);
    }
    return values;
  }

  TfValues branch(const io::TfNode& node, TfValues inputs) {
    if (inputs.empty()) damaged("the node '{}' has no condition", node.name);
    const TfValue predicate = inputs.front();
    inputs.erase(inputs.begin());
    const std::string& yes = attribute(node, "then_branch").function;
    const std::string& no = attribute(node, "else_branch").function;
    if (known(predicate)) {
      return all_.call(predicate.tensor.item() != 0 ? yes : no, inputs);
    }
    const auto tensors = [&](const std::string& function) {
      Tensors results;
      for (const TfValue& value : all_.call(function, inputs)) {
        results.push_back(tensor_of(node, value));
      }
      return results;
    };
    TfValues outputs;
    for (const Tensor& result : ops::cond(
             tensor_of(node, predicate), [&] { return tensors(yes); },
             [&] { return tensors(no); })) {
      outputs.push_back(TfValue::of(result));
    }
    return outputs;
  }

  TfInterpreter& all_;
  const std::vector<io::TfNode>& nodes_;
  const Index& index_;
  std::unordered_map<std::string, TfValue> given_;
  std::vector<std::optional<TfValues>> values_;
};

std::string variable_name(const io::TfNode& node) {
  if (node.op != "VarHandleOp" && node.op != "VariableV2" && node.op != "Variable") return "";
  const auto it = node.attributes.find("shared_name");
  return it == node.attributes.end() || it->second.string.empty() ? node.name : it->second.string;
}

const TfInterpreter::Index& TfInterpreter::index_of(const std::vector<io::TfNode>& nodes) {
  Index& index = indices_[&nodes];
  if (index.empty()) {
    for (size_t i = 0; i < nodes.size(); ++i) index.emplace(nodes[i].name, i);
  }
  return index;
}

void TfInterpreter::count_step(const io::TfNode& node) {
  if (steps_left_-- <= 0) {
    throw NotImplementedError("The SavedModel computes too many nodes in one call, at '{}'.",
                              node.name);
  }
}

TfValues TfInterpreter::call(const std::string& function, const TfValues& arguments) {
  const auto it = model_.functions.find(function);
  if (it == model_.functions.end()) damaged("there is no function '{}'", function);
  const io::TfFunction& body = it->second;
  if (arguments.size() != body.arguments.size()) {
    damaged("the function '{}' has {} arguments, but is called with {}", function,
            body.arguments.size(), arguments.size());
  }
  if (depth_ == kMaxDepth) damaged("its functions call each other without end");
  std::unordered_map<std::string, TfValue> given;
  for (size_t i = 0; i < arguments.size(); ++i) given[body.arguments[i]] = arguments[i];
  ++depth_;
  TfValues results = Body(*this, body.nodes, std::move(given)).get(body.results);
  --depth_;
  return results;
}

TfValues TfInterpreter::fetch(const std::vector<std::string>& values,
                              const std::unordered_map<std::string, TfValue>& feeds) {
  return Body(*this, model_.nodes, feeds).get(values);
}

}  // namespace antler::saving
