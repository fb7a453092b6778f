#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// SavedModels of TensorFlow by their signatures.
namespace antler {

/// A tensor that a signature takes or gives.
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

/// What `saved_model_cli show --all` lists. Throws NotFoundError, IOError.
std::vector<SavedModelGraph> saved_model_graphs(const std::string& path);

/// Runs a signature, as TensorFlow Serving does. Strings are handles, see string_handles(). A
/// handle; copies share the variables.
class SavedModelFunction {
 public:
  /// `tags`: those of the graph; empty: the graph that is tagged "serve", or else the first. Throws
  /// NotFoundError, IOError, and ValueError, which lists what there is, for an unknown signature or
  /// tags.
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
