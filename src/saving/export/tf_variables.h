#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "io/wire.h"
#include "saving/export/tf_graph_writer.h"

namespace antler::saving {

/// A variable in a TensorFlow graph.
struct TfGraphVariable {
  std::string name;
  DType dtype = DType::float32;
  Shape shape = {};
  bool trainable = true;
  std::string key = {};  ///< in checkpoints; empty: its name, as in TensorFlow 1
};

/// Which checkpoints are kept, for SaverDef.
struct TfSaverPolicy {
  int64_t max_to_keep = 5;
  double keep_checkpoint_every_n_hours = 10000;
};

/// Adds the nodes of resource variables: a handle with the variable's name, the initial value
/// (zeros), its assignment, and a read. The names of the variables must be unique and allowed in
/// TensorFlow.
void add_variables(TfGraphWriter& graph, const std::vector<TfGraphVariable>& variables);
/// Adds the nodes that save and restore the variables (tf.compat.v1.train.Saver).
void add_saver(TfGraphWriter& graph, const std::vector<TfGraphVariable>& variables);
/// The value of a variable in the graph.
std::string read_of_variable(const TfGraphVariable& variable);

/// The SaverDef of add_saver().
io::WireWriter saver_def(const TfSaverPolicy& policy);
/// The fields of a MetaGraphDef that list the variables: its collections.
io::WireWriter variable_collections(const std::vector<TfGraphVariable>& variables);
/// A MetaGraphDef message. `signatures` are fields of it as well; `functions` is the graph's
/// FunctionDefLibrary.
io::WireWriter meta_graph_def(const TfGraphWriter& graph, const std::vector<std::string>& tags,
                              const std::optional<io::WireWriter>& saver,
                              const io::WireWriter& collections, const io::WireWriter& signatures,
                              const io::WireWriter& functions = {});

}  // namespace antler::saving
