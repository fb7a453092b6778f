#pragma once

#include "io/wire.h"
#include "saving/export/graph_sink.h"

namespace antler::saving {

/// Writes ONNX (operator set 17). Weights become initializers. ONNX has channels first, so inputs
/// and outputs of convolutions and poolings are transposed.
class OnnxSink final : public GraphSink {
 public:
  explicit OnnxSink(std::string graph_name) : graph_name_(std::move(graph_name)) {}
  /// The bytes of the model. Throws ValueError above 2 GB, the limit of a protobuf message.
  std::string model() const;

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
  class Attributes;
  SinkValue node(const char* op, const std::vector<SinkValue>& inputs, DType dtype);
  SinkValue node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                 const Attributes& attributes);
  SinkValue initializer(const std::string& name, const Tensor& value);
  SinkValue channels_first(const SinkValue& x, size_t space);
  SinkValue channels_last(const SinkValue& x, size_t space);
  SinkValue kernel_first(const SinkValue& kernel, size_t space);

  std::string graph_name_;
  io::WireWriter nodes_;
  io::WireWriter initializers_;
  io::WireWriter inputs_;
  io::WireWriter outputs_;
  int count_ = 0;
};

}  // namespace antler::saving
