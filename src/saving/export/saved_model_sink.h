#pragma once

#include <set>

#include "antler/nn/layer.h"
#include "io/wire.h"
#include "saving/export/graph_sink.h"

namespace antler::saving {

class TfAttributes;

/// Writes a TensorFlow SavedModel: one graph with the weights as constants and the signature
/// "serving_default". A checkpoint beside the graph has the weights too, for programs that read
/// them.
class SavedModelSink final : public GraphSink {
 public:
  /// Writes the folder. The graph file, by which readers recognize a SavedModel, is written last.
  /// Throws IOError, and ValueError for a graph above 2 GB, the limit of a protobuf message.
  void save(const std::string& path, const Layer& weights) const;

  SinkValue input(const std::string& name, DType dtype, const Dims& dims) override;
  SinkValue constant(const Tensor& value) override;
  void output(const std::string& name, const SinkValue& x, const Dims& dims) override;
  SinkValue unary(std::string_view op, const SinkValue& x) override;
  SinkValue binary(std::string_view op, const SinkValue& a, const SinkValue& b) override;
  SinkValue select(const SinkValue& condition, const SinkValue& a, const SinkValue& b) override;
  SinkValue cast(const SinkValue& x, DType to) override;
  SinkValue reshape(const SinkValue& x, const Dims& dims) override;
  SinkValue expand(const SinkValue& x, const Dims& dims) override;
  SinkValue transpose(const SinkValue& x, const Ints& permutation) override;
  SinkValue reduce(std::string_view op, const SinkValue& x, const Ints& axes) override;
  SinkValue arg_extremum(std::string_view op, const SinkValue& x, int64_t axis,
                         DType dtype) override;
  SinkValue matmul(const SinkValue& a, const SinkValue& b) override;
  SinkValue conv(const SinkValue& x, const SinkValue& kernel, const WindowSpec& spec) override;
  SinkValue conv_transpose(const SinkValue& y, const SinkValue& kernel, const WindowSpec& spec,
                           const Dims& x) override;
  SinkValue pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) override;
  SinkValue concatenate(const std::vector<SinkValue>& xs, int64_t axis) override;
  SinkValue slice(const SinkValue& x, const Ints& starts,
                  const std::vector<std::optional<int64_t>>& limits, const Ints& strides) override;
  SinkValue reverse(const SinkValue& x, const Ints& axes) override;
  SinkValue pad(const SinkValue& x, const Ints& low, const Ints& high,
                const SinkValue& value) override;
  SinkValue gather(const SinkValue& x, const SinkValue& indices, int64_t axis) override;
  SinkValue softmax(std::string_view op, const SinkValue& x, int64_t axis, int64_t rank) override;
  SinkValue cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) override;

 protected:
  SinkValue weight(const std::string& name, const Tensor& value) override;
  SinkValue shape_of(const SinkValue& x) override;

 private:
  SinkValue node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                 const TfAttributes& attributes, const std::string& name = "");
  SinkValue expand_dims(const SinkValue& x, int64_t axis);
  SinkValue squeeze(const SinkValue& x, int64_t axis);
  std::string unique(const std::string& name);
  std::string message() const;

  io::WireWriter nodes_;
  io::WireWriter signature_inputs_;
  io::WireWriter signature_outputs_;
  std::set<std::string> names_;
};

}  // namespace antler::saving
