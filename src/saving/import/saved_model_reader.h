#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "io/tf_graph.h"

namespace antler::saving {

/// A function of a SavedModel that can be called from outside.
struct TfEndpoint {
  std::string function;  ///< empty: values of the main graph, see `inputs` and `outputs`
  std::vector<int64_t> captures;
  io::TfStructure inputs;
  io::TfStructure outputs;
  /// For the main graph: node of each tensor of `inputs`, value of each of `outputs`.
  std::vector<std::string> fed;
  std::vector<std::string> fetched;
};

/// A variable of a SavedModel. Objects and the main graph know it by numbers and names.
struct TfVariable {
  std::string name;
  bool trainable = true;
  Tensor value;
};

/// What TensorFlow's tf.saved_model.save wrote, with the values of its variables.
class SavedModelReader {
 public:
  /// Throws NotFoundError where there is no `saved_model.pb`, IOError for damaged files.
  static SavedModelReader open(const std::string& folder);

  const io::TfSavedModel& model() const { return model_; }
  /// In the order in which the model lists them, where it does; else of the objects.
  const std::vector<TfVariable>& variables() const { return variables_; }
  /// Index among variables() of an object; none for objects that are no variables.
  std::optional<int64_t> variable_of(int64_t object) const;
  std::optional<int64_t> variable_named(const std::string& name) const;

  /// Attributes of the root that are functions, then signatures.
  std::vector<std::string> endpoint_names() const;
  bool has_endpoint(const std::string& name) const;
  /// An attribute of the root that is a function, else a signature of that name, as TFSMLayer
  /// finds it. Of several traces the first counts. Throws ValueError that names the others.
  TfEndpoint endpoint(const std::string& name) const;

 private:
  void read_variables(const std::string& prefix);
  void add_variable(int64_t object, Tensor value);
  int64_t function_object(const std::string& name) const;

  std::string folder_;
  io::TfSavedModel model_;
  std::vector<TfVariable> variables_;
  std::map<int64_t, int64_t> by_object_;
  std::map<std::string, int64_t> by_name_;
};

}  // namespace antler::saving
