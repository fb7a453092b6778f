#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "io/tf_graph.h"

namespace antler::saving {

/// A callable function of a SavedModel.
struct TfEndpoint {
  std::string function;  ///< empty: the endpoint is part of the main graph, see `fed` and `fetched`
  std::vector<int64_t> captures;
  io::TfStructure inputs;
  io::TfStructure outputs;
  /// In the main graph: the node of each tensor of `inputs` and the value of each of `outputs`.
  std::vector<std::string> fed;
  std::vector<std::string> fetched;
};

/// A variable of a SavedModel.
struct TfVariable {
  std::string name;
  bool trainable = true;
  Tensor value;
};

/// The bytes of the message in `saved_model.pb`, or of what `saved_model.pbtxt` describes. Throws
/// NotFoundError if there is neither, IOError.
std::string read_saved_model_file(const std::string& folder);

/// A SavedModel as written by tf.saved_model.save, with the values of its variables.
class SavedModelReader {
 public:
  /// `tags`: those of the graph; empty: the graph tagged "serve", or else the first. Throws
  /// NotFoundError if there is neither `saved_model.pb` nor `.pbtxt`, IOError for damaged files,
  /// ValueError if no graph has these tags.
  static SavedModelReader open(const std::string& folder,
                               const std::vector<std::string>& tags = {});

  const io::TfSavedModel& model() const { return model_; }
  /// In the order of the model's list of variables; those not in it follow in object order.
  const std::vector<TfVariable>& variables() const { return variables_; }
  /// Index in variables() of an object; nullopt if it is not a variable.
  std::optional<int64_t> variable_of(int64_t object) const;
  std::optional<int64_t> variable_named(const std::string& name) const;

  /// Function attributes of the root, then signatures.
  std::vector<std::string> endpoint_names() const;
  bool has_endpoint(const std::string& name) const;
  /// A function attribute of the root, else a signature of that name. If a function has several
  /// traces, the first is used. Throws a ValueError that lists the endpoints if there is none.
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
