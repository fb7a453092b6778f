#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// TensorFlow's SavedModels, called by signature.
namespace antler {

/// A tensor that a signature takes or returns.
struct SavedModelPort {
  std::string name;
  std::string dtype;  ///< "float32"; "string"; "other" for dtypes that Antler does not have
  Shape shape;
};

/// A function of a SavedModel that other programs may call.
struct SavedModelSignature {
  std::string name;
  std::string method_name;  ///< "tensorflow/serving/predict"
  std::vector<SavedModelPort> inputs;
  std::vector<SavedModelPort> outputs;
};

/// A graph of a SavedModel.
struct SavedModelGraph {
  std::vector<std::string> tags;
  std::vector<SavedModelSignature> signatures;  ///< sorted by name
};

/// The graphs that `saved_model_cli show --all` lists. Throws NotFoundError, IOError.
std::vector<SavedModelGraph> saved_model_graphs(const std::string& path);

/// Runs a signature, as TensorFlow Serving does. Strings are handles, see string_handles(). A
/// handle; copies share the variables.
class SavedModelFunction {
 public:
  /// `tags` select the graph; empty: the graph that is tagged "serve", or else the first. Throws
  /// NotFoundError, IOError, and for unknown tags or an unknown signature a ValueError that lists
  /// the known ones.
  explicit SavedModelFunction(const std::string& path,
                              const std::string& signature = "serving_default",
                              const std::vector<std::string>& tags = {});
  /// Outputs by name. Throws ValueError for inputs that are missing or unknown, and
  /// NotImplementedError for operations that Antler does not have.
  std::map<std::string, Tensor> operator()(const std::map<std::string, Tensor>& inputs) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace antler
