#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/variable.h"
#include "nn/op_names.h"

/// Writes graphs in the formats of other programs. GraphSink hides the differences between ONNX and
/// TensorFlow; lowering.cpp expresses Antler's ops in the operations of GraphSink.
namespace antler::saving {

/// A dimension: a fixed size or a multiple of the batch size.
struct Dim {
  int64_t size = 0;
  int64_t per_batch = 0;  ///< if not 0, the size is this multiple of the batch size
  bool is_dynamic() const { return per_batch != 0; }
  friend bool operator==(const Dim& a, const Dim& b) = default;
};
using Dims = std::vector<Dim>;

/// The elements of several lists in one.
std::vector<int64_t> concatenated(std::initializer_list<std::vector<int64_t>> lists);

/// A value of the written graph.
struct SinkValue {
  std::string name;
  DType dtype = DType::float32;
};

/// The window of a convolution or pooling over arrays [batch, space..., channels]. Each list has
/// one number per spatial axis.
struct WindowSpec {
  std::vector<int64_t> window;  ///< pooling only
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pad_low;
  std::vector<int64_t> pad_high;
  int64_t groups = 1;
};

/// Receives the ops of a graph, under Antler's op names. Each method throws NotImplementedError for
/// what the format cannot express.
class GraphSink {
 public:
  using Ints = std::vector<int64_t>;
  virtual ~GraphSink() = default;

  virtual SinkValue input(const std::string& name, DType dtype, const Dims& dims) = 0;
  virtual SinkValue constant(const Tensor& value) = 0;
  /// The value of a variable, which is written once.
  virtual SinkValue variable(const Variable& variable);
  /// Assigns a new value to a variable at the end of the graph. Formats without state omit this.
  virtual void assign(const Variable& variable, const SinkValue& value);
  virtual void output(const std::string& name, const SinkValue& x, const Dims& dims) = 0;

  virtual SinkValue unary(std::string_view op, const SinkValue& x) = 0;
  virtual SinkValue binary(std::string_view op, const SinkValue& a, const SinkValue& b) = 0;
  virtual SinkValue select(const SinkValue& condition, const SinkValue& a, const SinkValue& b) = 0;
  /// Numbers as strings, see ops::as_string().
  virtual SinkValue as_string(const SinkValue& x);
  virtual SinkValue cast(const SinkValue& x, DType to) = 0;
  /// At most one dimension is dynamic.
  virtual SinkValue reshape(const SinkValue& x, const Dims& dims) = 0;
  /// Repeats along axes of size 1.
  virtual SinkValue expand(const SinkValue& x, const Dims& dims) = 0;
  virtual SinkValue transpose(const SinkValue& x, const Ints& permutation) = 0;
  /// reduce_sum, ...; the reduced axes are removed.
  virtual SinkValue reduce(std::string_view op, const SinkValue& x, const Ints& axes) = 0;
  virtual SinkValue arg_extremum(std::string_view op, const SinkValue& x, int64_t axis,
                                 DType dtype) = 0;
  /// Multiplies over the last two axes; leading axes are broadcast.
  virtual SinkValue matmul(const SinkValue& a, const SinkValue& b) = 0;
  /// `kernel` is [space..., channels / groups, filters].
  virtual SinkValue conv(const SinkValue& x, const SinkValue& kernel, const WindowSpec& spec) = 0;
  /// The gradient of conv() with respect to its input, which has the dimensions `x`.
  virtual SinkValue conv_transpose(const SinkValue& y, const SinkValue& kernel,
                                   const WindowSpec& spec, const Dims& x) = 0;
  /// `op` is "max" or "sum".
  virtual SinkValue pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) = 0;
  virtual SinkValue concatenate(const std::vector<SinkValue>& xs, int64_t axis) = 0;
  /// A missing limit stands for the end of the axis.
  virtual SinkValue slice(const SinkValue& x, const Ints& starts,
                          const std::vector<std::optional<int64_t>>& limits,
                          const Ints& strides) = 0;
  virtual SinkValue reverse(const SinkValue& x, const Ints& axes) = 0;
  virtual SinkValue pad(const SinkValue& x, const Ints& low, const Ints& high,
                        const SinkValue& value) = 0;
  virtual SinkValue gather(const SinkValue& x, const SinkValue& indices, int64_t axis) = 0;
  /// softmax or log_softmax of an array of rank `rank`.
  virtual SinkValue softmax(std::string_view op, const SinkValue& x, int64_t axis,
                            int64_t rank) = 0;
  virtual SinkValue cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) = 0;

  /// The batch size, a scalar.
  SinkValue batch_size(DType dtype);

 protected:
  /// A weight with its name, which need not be unique.
  virtual SinkValue weight(const std::string& name, const Tensor& value) = 0;
  /// The sizes of an array as a vector of int64.
  virtual SinkValue shape_of(const SinkValue& x) = 0;
  /// Records an input. The batch size is read from the first input with a batch dimension.
  void note_input(const SinkValue& x, const Dims& dims);
  /// A list as a vector of int64; equal lists share one constant.
  SinkValue ints(const Ints& values);
  SinkValue scalar(double value, DType dtype);
  /// Dimensions as a vector of int64.
  SinkValue shape_vector(const Dims& dims);
  /// Pads the spatial axes as `spec` says.
  SinkValue pad_space(const SinkValue& x, const WindowSpec& spec, double value);
  /// The part of `x` without the padding of `spec`, with the dimensions `dims`.
  SinkValue crop_space(const SinkValue& x, const WindowSpec& spec, const Dims& dims);
  /// Sums over windows from means over windows.
  SinkValue sum_of_mean(const SinkValue& mean, const WindowSpec& spec);
  /// Indices as int32 or int64.
  SinkValue wide_indices(const SinkValue& indices);

 private:
  std::map<uint64_t, SinkValue> variables_;
  std::map<Ints, SinkValue> int_lists_;
  std::optional<SinkValue> first_input_;
  std::optional<SinkValue> batch_;
};

/// The name of an op in another program: OpNames::onnx or OpNames::tensorflow. Throws
/// NotImplementedError, naming the program, if it has none.
const char* name_in(const char* OpNames::*program_name, std::string_view op, const char* program);

/// The dtype of an element-wise op's result.
DType result_dtype(std::string_view op, std::initializer_list<DType> operands);

}  // namespace antler::saving
