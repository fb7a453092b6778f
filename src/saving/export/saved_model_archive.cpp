#include "saving/export/saved_model_archive.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/format.h"
#include "antler/io/tensor_bundle.h"
#include "saving/export/lowering.h"
#include "saving/export/saved_objects.h"
#include "saving/export/tf_attributes.h"
#include "saving/export/tf_signature.h"
#include "saving/export/tf_variables.h"

namespace antler::saving {
namespace {

// Field numbers of SavedObject.
constexpr int kFunction = 6;
constexpr int kBareFunction = 8;

/// Ports and their places, sorted by name, as TensorFlow orders dictionaries.
std::vector<std::pair<TfPort, size_t>> sorted(const std::vector<TfPort>& ports) {
  std::vector<std::pair<TfPort, size_t>> result;
  for (size_t i = 0; i < ports.size(); ++i) result.emplace_back(ports[i], i);
  std::ranges::sort(result, {}, [](const auto& entry) { return entry.first.name; });
  return result;
}

/// A dictionary of arrays.
CallTree dict_of(const std::vector<TfPort>& ports) {
  CallTree tree{CallTree::Kind::dict};
  for (const TfPort& port : ports) tree.items.emplace_back(port.name, CallTree{});
  return tree;
}

CallTree arguments(CallTree positional, CallTree named) {
  return {CallTree::Kind::tuple, {{"", std::move(positional)}, {"", std::move(named)}}};
}

/// A function that takes and returns dictionaries, as signatures do, and calls another one.
struct Wrapper {
  TfFunction function;
  io::WireWriter message;
};

Wrapper wrap(const TfFunction& called, const std::string& name) {
  TfGraphWriter body(TfGraphWriter::Kind::function);
  TfFunctionDef def(body);
  Wrapper wrapper{{name, {}, {}, called.variables}, {}};
  std::vector<std::string> inputs(called.inputs.size());
  for (const auto& [port, place] : sorted(called.inputs)) {
    inputs[place] = def.argument(port.type, port.dims);
    wrapper.function.inputs.push_back(port);
  }
  for (const Variable& variable : called.variables) inputs.push_back(def.handle(variable));
  const std::string call =
      body.node("StatefulPartitionedCall", inputs, call_attributes(called), "call");
  def.effect(call);
  for (const auto& [port, place] : sorted(called.outputs)) {
    const std::string value =
        body.node("Identity", {format("{}:{}", call, place)},
                  TfAttributes().type_number("T", port.type), format("result_{}", place));
    def.result(value, port.type);
    wrapper.function.outputs.push_back(port);
  }
  wrapper.message = def.message(name);
  return wrapper;
}

/// What the object graph says about a function: SavedConcreteFunction.
io::WireWriter concrete_function(const TfFunction& function, const CallTree& inputs,
                                 const CallTree& outputs, const SavedObjects& objects) {
  std::vector<int64_t> bound;
  for (const Variable& variable : function.variables) bound.push_back(objects.object_of(variable));
  io::WireWriter message;
  message.packed(2, bound);
  message.message(3, structured_specs(inputs, function.inputs));
  message.message(4, structured_specs(outputs, function.outputs));
  return message;
}

/// Adds the nodes that call a function for a signature. Returns the SignatureDef.
io::WireWriter add_signature(TfGraphWriter& graph, const std::string& name,
                             const TfFunction& function, const SavedObjects& objects) {
  io::WireWriter signature;
  std::vector<std::string> inputs;
  for (const TfPort& port : function.inputs) {
    inputs.push_back(graph.node(
        "Placeholder", {}, TfAttributes().type_number("dtype", port.type).shape("shape", port.dims),
        format("{}_{}", name, port.name)));
    signature.message(1, map_entry(port.name, tensor_info(inputs.back(), port.type, port.dims)));
  }
  for (const Variable& variable : function.variables)
    inputs.push_back(objects.graph_variable(variable).name);
  const std::string call =
      graph.node("StatefulPartitionedCall", inputs, call_attributes(function), name + "_call");
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    const TfPort& port = function.outputs[i];
    signature.message(
        2, map_entry(port.name, tensor_info(format("{}:{}", call, i), port.type, port.dims)));
  }
  signature.bytes(3, kPredictMethod);
  return signature;
}

}  // namespace

void SavedModelArchive::add_endpoint(ArchiveEndpoint endpoint, const BatchGraph& graph) {
  FunctionSink sink(format("__inference_{}_{}", endpoint.name, functions_.size()));
  lower(graph, endpoint.input_names, endpoint.output_names, sink);
  functions_.push_back({std::move(endpoint), sink.function(), sink.message()});
}

std::vector<Variable> SavedModelArchive::used_variables() const {
  std::vector<Variable> result;
  std::set<uint64_t> known;
  for (const Function& function : functions_) {
    for (const Variable& variable : function.concrete.variables) {
      if (known.insert(variable.id()).second) result.push_back(variable);
    }
  }
  return result;
}

void SavedModelArchive::save(const std::string& path) const {
  SavedObjects objects;
  for (const auto& [name, variables] : lists_) objects.add_list(name, variables);
  objects.add_list("_all_variables", used_variables());

  TfGraphWriter graph;
  saving::add_variables(graph, objects.variables());
  if (!objects.variables().empty()) add_saver(graph, objects.variables());

  io::WireWriter library;
  io::WireWriter concrete;
  io::WireWriter signatures;
  const auto add_function = [&](const io::WireWriter& message, const TfFunction& function,
                                const CallTree& inputs, const CallTree& outputs) {
    library.message(1, message);
    concrete.message(
        2, map_entry(function.name, concrete_function(function, inputs, outputs, objects)));
  };
  const CallTree nothing{CallTree::Kind::dict};
  const CallTree none{CallTree::Kind::tuple};
  for (const auto& [endpoint, function, message] : functions_) {
    add_function(message, function, arguments(endpoint.inputs, nothing), endpoint.outputs);
    io::WireWriter callable;
    callable.bytes(1, function.name);
    callable.message(2, function_spec(endpoint.parameters, /*by_name=*/false,
                                      structured_specs(endpoint.inputs, function.inputs)));
    objects.add(0, endpoint.name, kFunction, callable);
  }
  const int64_t map = objects.add_container(0, "signatures", "signature_map");
  const auto add_named = [&](const std::string& name, const TfFunction& function) {
    const Wrapper wrapper = wrap(function, format("__inference_signature_wrapper_{}", name));
    const TfFunction& wrapped = wrapper.function;
    add_function(wrapper.message, wrapped, arguments(none, dict_of(wrapped.inputs)),
                 dict_of(wrapped.outputs));
    io::WireWriter callable;
    std::vector<std::string> keywords;
    callable.bytes(1, wrapped.name);
    for (const TfPort& port : wrapped.inputs) {
      callable.bytes(2, port.name);
      keywords.push_back(port.name);
    }
    callable.integer(3, keywords.size() == 1 ? 1 : 0);
    callable.message(4, function_spec(keywords, /*by_name=*/true, structured_none()));
    objects.add(map, name, kBareFunction, callable);
    signatures.message(5, map_entry(name, add_signature(graph, name, function, objects)));
  };
  for (const Function& f : functions_) add_named(f.endpoint.name, f.concrete);
  const auto is_default = [](const Function& f) { return f.endpoint.name == "serving_default"; };
  if (!functions_.empty() && std::ranges::none_of(functions_, is_default))
    add_named("serving_default", functions_.front().concrete);

  io::WireWriter fields = signatures;
  fields.message(7, objects.message(concrete));
  const std::optional<io::WireWriter> saver =
      objects.variables().empty() ? std::nullopt : std::optional(saver_def({}));
  const std::string model =
      saved_model_message({meta_graph_def(graph, {"serve"}, saver, {}, fields, library)});

  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(fs::path(path) / "variables", error);
  if (error) throw IOError("Cannot create the folder '{}': {}.", path, error.message());
  io::save_tensor_bundle((fs::path(path) / "variables" / "variables").string(),
                         objects.checkpoint());
  write_file_atomically((fs::path(path) / "saved_model.pb").string(), model);
}

}  // namespace antler::saving
