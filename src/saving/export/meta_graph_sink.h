#pragma once

#include <map>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "saving/export/tf_sink.h"
#include "saving/export/tf_variables.h"

namespace antler::saving {

/// A value of the graph that a signature refers to.
struct TfPlace {
  std::string value;
  int64_t type = 0;  ///< TensorFlow's number of the dtype
  Dims dims;
};

/// How a feature is read from serialized tf.Examples.
struct ParsedFeature {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;  ///< of one example
};

/// Writes the graph of a TensorFlow 1 SavedModel. Variables are nodes that get their values from a
/// checkpoint, and several signatures share one graph.
class MetaGraphSink final : public TfSink {
 public:
  /// Adds the nodes of the variables, and those that save and restore them.
  explicit MetaGraphSink(const std::vector<std::pair<TfGraphVariable, Variable>>& variables);

  /// Adds a placeholder for strings, which are serialized tf.Examples, and the node that parses
  /// them. From then on, inputs with the names of these features are its results. `batch`: the
  /// number of examples, -1 if it is unknown.
  TfPlace parse_examples(const std::string& placeholder, int64_t batch,
                         const std::vector<ParsedFeature>& features);
  /// The input with this name is this constant unless it is fed.
  void set_default(const std::string& name, const Tensor& value) { defaults_[name] = value; }

  SinkValue input(const std::string& name, DType dtype, const Dims& dims) override;
  SinkValue variable(const Variable& variable) override;
  void output(const std::string& name, const SinkValue& x, const Dims& dims) override;

  /// Inputs and outputs, by their names.
  const std::map<std::string, TfPlace>& inputs() const { return inputs_; }
  const std::map<std::string, TfPlace>& outputs() const { return outputs_; }
  /// The MetaGraphDef message; `signatures` are fields of it.
  io::WireWriter meta_graph(const std::vector<std::string>& tags,
                            const io::WireWriter& signatures) const;

 protected:
  SinkValue weight(const std::string& name, const Tensor& value) override;

 private:
  int64_t type_of(DType dtype) const;

  std::vector<TfGraphVariable> variables_;
  std::map<uint64_t, TfGraphVariable> by_id_;
  std::map<std::string, SinkValue> parsed_;
  std::map<std::string, Tensor> defaults_;
  std::map<std::string, TfPlace> inputs_;
  std::map<std::string, TfPlace> outputs_;
};

}  // namespace antler::saving
