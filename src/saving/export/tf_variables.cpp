#include "saving/export/tf_variables.h"

#include "antler/base/format.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

constexpr const char* kVersion = "2.16.0";
constexpr int64_t kSaverVersion2 = 2;
// Field numbers of VariableDef.
constexpr int kVariableName = 1;
constexpr int kInitializerName = 2;
constexpr int kSnapshotName = 3;
constexpr int kIsResource = 5;
constexpr int kInitialValueName = 6;
constexpr int kTrainable = 7;

Dims dims_of(const Shape& shape) {
  Dims dims;
  for (const int64_t size : shape) dims.push_back({size, 0});
  return dims;
}

std::string initial_value_of(const TfGraphVariable& variable) {
  return variable.name + "/Initializer/zeros";
}

io::WireWriter variable_def(const TfGraphVariable& variable) {
  io::WireWriter def;
  def.bytes(kVariableName, variable.name + ":0");
  def.bytes(kInitializerName, variable.name + "/Assign");
  def.bytes(kSnapshotName, read_of_variable(variable) + ":0");
  def.boolean(kIsResource, true);
  def.bytes(kInitialValueName, initial_value_of(variable) + ":0");
  def.boolean(kTrainable, variable.trainable);
  return def;
}

/// A Const of strings, and their number.
std::string add_strings(TfGraphWriter& graph, const StringTensor& strings,
                        const std::string& name) {
  return graph.node("Const", {}, TfAttributes().string_type("dtype").tensor("value", strings),
                    name);
}

}  // namespace

std::string read_of_variable(const TfGraphVariable& variable) {
  return variable.name + "/Read/ReadVariableOp";
}

void add_variables(TfGraphWriter& graph, const std::vector<TfGraphVariable>& variables) {
  for (const TfGraphVariable& v : variables) {
    graph.node("VarHandleOp", {},
               TfAttributes()
                   .type("dtype", v.dtype)
                   .shape("shape", dims_of(v.shape))
                   .text("shared_name", v.name.c_str())
                   .text("container", ""),
               v.name);
    const std::string zeros = graph.node(
        "Const", {}, TfAttributes().type("dtype", v.dtype).zeros("value", v.dtype, v.shape),
        initial_value_of(v));
    graph.node("AssignVariableOp", {v.name, zeros}, TfAttributes().type("dtype", v.dtype),
               v.name + "/Assign");
    graph.node("ReadVariableOp", {v.name}, TfAttributes().type("dtype", v.dtype),
               read_of_variable(v));
  }
}

void add_saver(TfGraphWriter& graph, const std::vector<TfGraphVariable>& variables) {
  std::vector<std::string> names;
  std::vector<DType> dtypes;
  for (const TfGraphVariable& v : variables) {
    names.push_back(v.key.empty() ? v.name : v.key);
    dtypes.push_back(v.dtype);
  }
  const std::string default_file =
      add_strings(graph, StringTensor({"model"}, Shape()), "save/filename/input");
  const std::string file_name =
      graph.node("PlaceholderWithDefault", {default_file},
                 TfAttributes().string_type("dtype").shape("shape", {}), "save/filename");
  const std::string file =
      graph.node("PlaceholderWithDefault", {file_name},
                 TfAttributes().string_type("dtype").shape("shape", {}), "save/Const");
  const std::string keys = add_strings(graph, StringTensor(names), "save/SaveV2/tensor_names");
  const std::string slices = add_strings(
      graph, StringTensor(std::vector<std::string>(names.size())), "save/SaveV2/shape_and_slices");
  std::vector<std::string> saved = {file, keys, slices};
  for (const TfGraphVariable& v : variables) saved.push_back(read_of_variable(v));
  const std::string save =
      graph.node("SaveV2", saved, TfAttributes().types("dtypes", dtypes), "save/SaveV2");
  graph.node("Identity", {file, "^" + save}, TfAttributes().string_type("T"),
             "save/control_dependency");
  const std::string restore = graph.node("RestoreV2", {file, keys, slices},
                                         TfAttributes().types("dtypes", dtypes), "save/RestoreV2");
  std::vector<std::string> assignments;
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::string value =
        graph.node("Identity", {i == 0 ? restore : format("{}:{}", restore, i)},
                   TfAttributes().type("T", dtypes[i]), format("save/Identity_{}", i + 1));
    assignments.push_back("^" + graph.node("AssignVariableOp", {variables[i].name, value},
                                           TfAttributes().type("dtype", dtypes[i]),
                                           format("save/AssignVariableOp_{}", i)));
  }
  graph.node("NoOp", assignments, TfAttributes(), "save/restore_all");
}

io::WireWriter saver_def(const TfSaverPolicy& policy) {
  io::WireWriter def;
  def.bytes(1, "save/Const:0");
  def.bytes(2, "save/control_dependency:0");
  def.bytes(3, "save/restore_all");
  def.integer(4, policy.max_to_keep);
  def.float32(6, static_cast<float>(policy.keep_checkpoint_every_n_hours));
  def.integer(7, kSaverVersion2);
  return def;
}

io::WireWriter variable_collections(const std::vector<TfGraphVariable>& variables) {
  io::WireWriter all;
  io::WireWriter trainable;
  io::WireWriter global_step;
  for (const TfGraphVariable& v : variables) {
    const io::WireWriter def = variable_def(v);
    all.message(1, def);
    if (v.trainable) trainable.message(1, def);
    if (v.name == "global_step") global_step.message(1, def);
  }
  io::WireWriter fields;
  const auto add = [&](const char* name, const io::WireWriter& list) {
    if (list.str().empty()) return;
    io::WireWriter collection;
    collection.message(2, list);
    fields.message(4, map_entry(name, collection));
  };
  add("variables", all);
  add("trainable_variables", trainable);
  add("global_step", global_step);
  return fields;
}

io::WireWriter meta_graph_def(const TfGraphWriter& graph, const std::vector<std::string>& tags,
                              const std::optional<io::WireWriter>& saver,
                              const io::WireWriter& collections, const io::WireWriter& signatures,
                              const io::WireWriter& functions) {
  io::WireWriter info;
  for (const std::string& tag : tags) info.bytes(4, tag);
  info.bytes(5, kVersion);
  io::WireWriter meta_graph;
  meta_graph.message(1, info);
  meta_graph.message(2, graph.graph_def(functions));
  if (saver) meta_graph.message(3, *saver);
  meta_graph.append(collections);
  meta_graph.append(signatures);
  return meta_graph;
}

}  // namespace antler::saving
