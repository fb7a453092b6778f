#pragma once

#include "antler/nn/layer.h"
#include "io/wire.h"
#include "saving/export/tf_sink.h"

namespace antler::saving {

/// Writes a TensorFlow SavedModel: one graph with the weights as constants and the signature
/// "serving_default". The weights can also be written to a checkpoint beside the graph, for
/// programs that read them.
class SavedModelSink final : public TfSink {
 public:
  /// Writes the folder. The graph file, by which readers recognize a SavedModel, is written last.
  /// Throws IOError, and ValueError for a graph above 2 GB, the limit of a protobuf message.
  /// `weights`, if not null, are also written as a checkpoint beside the graph.
  void save(const std::string& path, const Layer* weights) const;

  SinkValue input(const std::string& name, DType dtype, const Dims& dims) override;
  void output(const std::string& name, const SinkValue& x, const Dims& dims) override;

 protected:
  SinkValue weight(const std::string& name, const Tensor& value) override;

 private:
  io::WireWriter signature_inputs_;
  io::WireWriter signature_outputs_;
};

}  // namespace antler::saving
