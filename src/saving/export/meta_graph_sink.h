#pragma once

#include <map>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "saving/export/tf_sink.h"
#include "saving/export/tf_variables.h"

namespace antler::saving {

/// A value of the graph that signatures name.
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

/// Writes the graph of a TensorFlow 1 SavedModel: variables are nodes, which a checkpoint gives
/// values, and several signatures use one graph.
class MetaGraphSink final : public TfSink {
 public:
  /// The nodes of the variables, and those that save and restore them.
  explicit MetaGraphSink(const std::vector<std::pair<TfGraphVariable, Variable>>& variables);

  /// Adds a placeholder of strings, serialized tf.Examples, and the node that parses them. The
  /// inputs of these names are its results from now on. `batch`: the number of examples, -1 if it
  /// is not known.
  TfPlace parse_examples(const std::string& placeholder, int64_t batch,
                         const std::vector<ParsedFeature>& features);
  /// The input of this name is a constant unless it is fed.
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
