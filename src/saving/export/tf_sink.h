#pragma once

#include "saving/export/graph_sink.h"
#include "saving/export/tf_graph_writer.h"

namespace antler::saving {

class TfAttributes;

/// Writes a TensorFlow graph. Derived classes decide how inputs, outputs and weights appear in it.
class TfSink : public GraphSink {
 public:
  /// `has_strings`: handles of strings (kStringDType) become strings.
  explicit TfSink(bool has_strings = false, TfGraphWriter::Kind kind = TfGraphWriter::Kind::graph)
      : has_strings_(has_strings), graph_(kind) {}

  SinkValue constant(const Tensor& value) override;
  SinkValue unary(std::string_view op, const SinkValue& x) override;
  SinkValue binary(std::string_view op, const SinkValue& a, const SinkValue& b) override;
  SinkValue select(const SinkValue& condition, const SinkValue& a, const SinkValue& b) override;
  SinkValue as_string(const SinkValue& x) override;
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
  SinkValue shape_of(const SinkValue& x) override;
  SinkValue node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                 const TfAttributes& attributes, const std::string& name = "");
  /// Attributes of a node of this graph.
  TfAttributes attrs() const;
  TfGraphWriter& graph() { return graph_; }
  const TfGraphWriter& graph() const { return graph_; }

 private:
  SinkValue expand_dims(const SinkValue& x, int64_t axis);
  SinkValue squeeze(const SinkValue& x, int64_t axis);

  bool has_strings_;
  TfGraphWriter graph_;
};

}  // namespace antler::saving
