#include "saving/import/saved_model_reader.h"

#include <algorithm>
#include <filesystem>
#include <queue>
#include <set>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/object_graph.h"
#include "antler/io/tensor_bundle.h"
#include "base/strings.h"
#include "io/tf_messages.h"

namespace antler::saving {
namespace {

namespace fs = std::filesystem;

/// The signature that TensorFlow runs to initialize the model.
constexpr const char* kInitSignature = "__saved_model_init_op";

io::ObjectGraph object_graph_of(const io::TensorBundle& bundle) {
  if (!bundle.contains(io::kObjectGraphKey)) return {};
  const StringTensor text = bundle.read_text(io::kObjectGraphKey);
  if (text.values.size() != 1) throw IOError("The object graph of a checkpoint is damaged.");
  return io::parse_object_graph(text.values[0]);
}

/// Checkpoint keys of the model's objects. Both object graphs are walked along the same edge names.
std::map<int64_t, std::string> keys_by_object(const io::TfSavedModel& model,
                                              const io::ObjectGraph& saved) {
  std::map<int64_t, std::string> keys;
  if (model.objects.empty() || saved.empty()) return keys;
  std::set<int64_t> seen = {0};
  std::queue<std::pair<int64_t, int64_t>> open;
  open.emplace(0, 0);
  while (!open.empty()) {
    const auto [object, twin] = open.front();
    open.pop();
    const io::TrackableObject& entry = saved[static_cast<size_t>(twin)];
    if (!entry.key.empty()) keys[object] = entry.key;
    for (const auto& [name, child] : model.objects[static_cast<size_t>(object)].children) {
      const int64_t next = entry.child(name);
      if (next >= 0 && seen.insert(child).second) open.emplace(child, next);
    }
  }
  return keys;
}

io::TfStructure structure_of(const std::map<std::string, io::TfPort>& ports) {
  io::TfStructure dict;
  dict.kind = io::TfStructure::Kind::dict;
  for (const auto& [name, port] : ports) {
    io::TfStructure tensor;
    tensor.kind = io::TfStructure::Kind::tensor;
    tensor.name = name;
    tensor.dtype = port.dtype;
    tensor.shape = port.shape;
    dict.items.emplace_back(name, std::move(tensor));
  }
  return dict;
}

TfEndpoint main_graph_endpoint(const io::TfSignature& signature) {
  TfEndpoint endpoint;
  endpoint.inputs = structure_of(signature.inputs);
  endpoint.outputs = structure_of(signature.outputs);
  for (const auto& [name, port] : signature.inputs) {
    endpoint.fed.push_back(port.value.substr(0, port.value.find(':')));
  }
  for (const auto& [name, port] : signature.outputs) endpoint.fetched.push_back(port.value);
  return endpoint;
}

}  // namespace

std::string read_saved_model_file(const std::string& folder) {
  const fs::path binary = fs::path(folder) / "saved_model.pb";
  const fs::path text = fs::path(folder) / "saved_model.pbtxt";
  if (fs::exists(binary) || !fs::exists(text)) return read_file(binary.string());
  return io::proto_from_text(io::kSavedModelMessage, read_file(text.string()));
}

SavedModelReader SavedModelReader::open(const std::string& folder,
                                        const std::vector<std::string>& tags) {
  SavedModelReader reader;
  reader.folder_ = folder;
  const std::string message = read_saved_model_file(folder);
  if (tags.empty()) {
    reader.model_ = io::parse_saved_model(message);
  } else {
    const std::set<std::string> wanted(tags.begin(), tags.end());
    std::vector<io::TfSavedModel> graphs = io::parse_meta_graphs(message);
    const auto found = std::find_if(graphs.begin(), graphs.end(), [&](const auto& graph) {
      return std::set<std::string>(graph.tags.begin(), graph.tags.end()) == wanted;
    });
    if (found == graphs.end()) {
      throw ValueError("The SavedModel '{}' has no graph with the tags [{}]. It has: {}.", folder,
                       join(wanted, ", "), join(graphs, "; ", [](const auto& graph) {
                         return "[" + join(graph.tags, ", ") + "]";
                       }));
    }
    reader.model_ = std::move(*found);
  }
  const std::string prefix = (fs::path(folder) / "variables" / "variables").string();
  if (fs::exists(prefix + ".index")) reader.read_variables(prefix);
  return reader;
}

void SavedModelReader::add_variable(int64_t object, Tensor value) {
  const auto index = static_cast<int64_t>(variables_.size());
  const io::TfObject& variable = model_.objects[static_cast<size_t>(object)];
  by_object_[object] = index;
  by_name_.emplace(variable.name, index);
  variables_.push_back({variable.name, variable.trainable, std::move(value)});
}

void SavedModelReader::read_variables(const std::string& prefix) {
  const io::TensorBundle bundle = io::TensorBundle::open(prefix);
  const auto keys = keys_by_object(model_, object_graph_of(bundle));
  if (keys.empty()) {
    // TensorFlow 1 uses variable names as keys.
    for (const std::string& key : bundle.keys()) {
      if (bundle.is_string(key)) continue;
      by_name_[key] = static_cast<int64_t>(variables_.size());
      variables_.push_back({key, true, bundle.read(key)});
    }
    return;
  }
  const auto add = [&](int64_t object) {
    const io::TfObject& found = model_.objects[static_cast<size_t>(object)];
    const auto key = keys.find(object);
    if (found.kind != io::TfObject::Kind::variable || key == keys.end()) return;
    if (by_object_.contains(object)) return;
    Tensor value = bundle.read(key->second);
    if (value.dtype() != found.dtype) {
      throw IOError("The SavedModel '{}' is damaged: the dtype of '{}' is not that of its value.",
                    folder_, found.name);
    }
    add_variable(object, std::move(value));
  };
  // Keras lists a model's variables in this child of the root.
  if (const int64_t list = model_.objects[0].child("variables"); list >= 0) {
    const io::TfObject& variables = model_.objects[static_cast<size_t>(list)];
    for (size_t i = 0; i < variables.children.size(); ++i) {
      if (const int64_t object = variables.child(std::to_string(i)); object >= 0) add(object);
    }
  }
  for (const auto& [object, key] : keys) add(object);
}

std::optional<int64_t> SavedModelReader::variable_of(int64_t object) const {
  const auto it = by_object_.find(object);
  return it == by_object_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<int64_t> SavedModelReader::variable_named(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? std::nullopt : std::optional(it->second);
}

int64_t SavedModelReader::function_object(const std::string& name) const {
  if (model_.objects.empty()) return -1;
  const auto at = [&](int64_t i) -> const io::TfObject& {
    return model_.objects[static_cast<size_t>(i)];
  };
  const auto callable = [&](int64_t i) {
    return i >= 0 && at(i).kind == io::TfObject::Kind::function && !at(i).functions.empty();
  };
  if (const int64_t own = at(0).child(name); callable(own)) return own;
  const int64_t signatures = at(0).child("signatures");
  if (signatures < 0) return -1;
  const int64_t signature = at(signatures).child(name);
  return callable(signature) ? signature : -1;
}

std::vector<std::string> SavedModelReader::endpoint_names() const {
  std::vector<std::string> names;
  if (!model_.objects.empty()) {
    for (const auto& [name, child] : model_.objects[0].children) {
      if (function_object(name) == child) names.push_back(name);
    }
  }
  for (const auto& [name, signature] : model_.signatures) {
    if (name != kInitSignature) names.push_back(name);
  }
  return names;
}

bool SavedModelReader::has_endpoint(const std::string& name) const {
  return function_object(name) >= 0 || model_.signatures.contains(name);
}

TfEndpoint SavedModelReader::endpoint(const std::string& name) const {
  if (const int64_t object = function_object(name); object >= 0) {
    TfEndpoint endpoint;
    endpoint.function = model_.objects[static_cast<size_t>(object)].functions.front();
    const auto concrete = model_.concrete_functions.find(endpoint.function);
    if (concrete == model_.concrete_functions.end()) {
      throw IOError("The SavedModel '{}' is damaged: there is no function '{}'.", folder_,
                    endpoint.function);
    }
    endpoint.captures = concrete->second.captures;
    endpoint.inputs = concrete->second.inputs;
    endpoint.outputs = concrete->second.outputs;
    return endpoint;
  }
  const auto signature = model_.signatures.find(name);
  if (signature != model_.signatures.end()) return main_graph_endpoint(signature->second);
  throw ValueError(
      "The endpoint '{}' is neither an attribute of the reloaded SavedModel, nor an entry in its "
      "signatures. Select another endpoint via the `call_endpoint` argument. Available endpoints "
      "for this SavedModel: [{}]",
      name, join(endpoint_names(), ", ", [](const auto& own) { return format("'{}'", own); }));
}

}  // namespace antler::saving
