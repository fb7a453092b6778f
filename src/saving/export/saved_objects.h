#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/variable.h"
#include "antler/io/object_graph.h"
#include "antler/io/tensor_bundle.h"
#include "io/wire.h"
#include "saving/export/tf_variables.h"

namespace antler::saving {

/// The objects that TensorFlow creates from a SavedModel (saved_object_graph.proto), and the
/// checkpoint with the values of the variables among them. Objects are identified by numbers; 0 is
/// the root.
class SavedObjects {
 public:
  SavedObjects();
  /// A function that Python calls; `kind` is its field of SavedObject.
  int64_t add(int64_t parent, const std::string& name, int kind, const io::WireWriter& value);
  /// An object with nothing but children.
  int64_t add_container(int64_t parent, const std::string& name, const char* type);
  /// A list of variables.
  void add_list(const std::string& name, const std::vector<Variable>& variables);
  /// The object of a variable that is in a list.
  int64_t object_of(const Variable& variable) const { return objects_of_.at(variable.id()); }

  /// The variables, for the graph.
  const std::vector<TfGraphVariable>& variables() const { return variables_; }
  /// The graph's variable for a variable that is in a list.
  const TfGraphVariable& graph_variable(const Variable& variable) const;
  /// The SavedObjectGraph message. `functions` are fields of it.
  io::WireWriter message(const io::WireWriter& functions) const;
  io::BundleEntries checkpoint() const;

 private:
  int64_t add_object(const io::WireWriter& kind);
  /// Throws ValueError if the parent has a child of this name.
  void link(int64_t parent, const std::string& name, int64_t child);
  int64_t variable(const Variable& variable);

  io::ObjectGraph graph_;
  std::vector<io::WireWriter> kinds_;  ///< fields of the SavedObject, by object
  io::BundleEntries values_;
  std::vector<TfGraphVariable> variables_;
  TfGraphWriter names_;                     ///< makes names unique
  std::map<uint64_t, int64_t> objects_of_;  ///< by id of the variable
  std::map<uint64_t, size_t> places_;       ///< in variables_
};

}  // namespace antler::saving
