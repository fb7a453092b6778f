#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/core/variable.h"
#include "io/wire.h"
#include "saving/export/batch_graph.h"
#include "saving/export/function_sink.h"
#include "saving/export/structured_value.h"

namespace antler::saving {

/// How a function of a SavedModel is called.
struct ArchiveEndpoint {
  std::string name;
  std::vector<std::string> parameters;   ///< as Python names them
  CallTree inputs;                       ///< a tuple with a tree for each parameter
  std::vector<std::string> input_names;  ///< of the arrays, in order; unique
  CallTree outputs;
  std::vector<std::string> output_names;  ///< the same for results
};

/// Writes a SavedModel of TensorFlow 2 (keras.export.ExportArchive): an object whose attributes are
/// functions and lists of variables. Each function is also a signature. The first one is also
/// "serving_default", unless another has this name. Variables keep the state that functions assign.
class SavedModelArchive {
 public:
  /// Throws NotImplementedError, naming the op, for what TensorFlow cannot express.
  void add_endpoint(ArchiveEndpoint endpoint, const BatchGraph& graph);
  void add_variables(std::string name, std::vector<Variable> variables) {
    lists_.emplace_back(std::move(name), std::move(variables));
  }
  /// Writes the folder. The graph file, by which readers recognize a SavedModel, is written last.
  /// Throws IOError; ValueError for two attributes with the same name, and for a graph above 2 GB,
  /// the limit of a protobuf message.
  void save(const std::string& path) const;

 private:
  struct Function {
    ArchiveEndpoint endpoint;
    TfFunction concrete;
    io::WireWriter message;
  };
  /// The variables that functions use, each once.
  std::vector<Variable> used_variables() const;

  std::vector<Function> functions_;
  std::vector<std::pair<std::string, std::vector<Variable>>> lists_;
};

}  // namespace antler::saving
