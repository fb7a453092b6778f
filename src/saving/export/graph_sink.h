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

/// Graphs in the words of other programs. What differs between ONNX and TensorFlow stands behind
/// GraphSink; lowering.cpp brings Antler's ops into the few that it has.
namespace antler::saving {

/// A size: a number, or a multiple of the batch's size.
struct Dim {
  int64_t size = 0;
  int64_t per_batch = 0;  ///< not 0: the size is this often the batch's
  bool is_dynamic() const { return per_batch != 0; }
  friend bool operator==(const Dim& a, const Dim& b) = default;
};
using Dims = std::vector<Dim>;

/// A value of the graph that is written.
struct SinkValue {
  std::string name;
  DType dtype = DType::float32;
};

/// A convolution or pooling over arrays [batch, space..., channels]; one number for each axis of
/// the space.
struct WindowSpec {
  std::vector<int64_t> window;  ///< of a pooling
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pad_low;
  std::vector<int64_t> pad_high;
  int64_t groups = 1;
};

/// Where a graph is written to. Everything throws NotImplementedError for what the format cannot
/// say. Ops are named as Antler's.
class GraphSink {
 public:
  using Ints = std::vector<int64_t>;
  virtual ~GraphSink() = default;

  virtual SinkValue input(const std::string& name, DType dtype, const Dims& dims) = 0;
  virtual SinkValue constant(const Tensor& value) = 0;
  virtual SinkValue variable(const Variable& variable) = 0;
  virtual void output(const std::string& name, const SinkValue& x, const Dims& dims) = 0;

  virtual SinkValue unary(std::string_view op, const SinkValue& x) = 0;
  virtual SinkValue binary(std::string_view op, const SinkValue& a, const SinkValue& b) = 0;
  virtual SinkValue select(const SinkValue& condition, const SinkValue& a, const SinkValue& b) = 0;
  virtual SinkValue cast(const SinkValue& x, DType to) = 0;
  /// At most one dimension is dynamic.
  virtual SinkValue reshape(const SinkValue& x, const Dims& dims) = 0;
  /// Repeats along axes of size 1.
  virtual SinkValue expand(const SinkValue& x, const Dims& dims) = 0;
  virtual SinkValue transpose(const SinkValue& x, const Ints& permutation) = 0;
  /// reduce_sum, ...; the axes go.
  virtual SinkValue reduce(std::string_view op, const SinkValue& x, const Ints& axes) = 0;
  virtual SinkValue arg_extremum(std::string_view op, const SinkValue& x, int64_t axis,
                                 DType dtype) = 0;
  /// Over the last two axes, the ones before are broadcast.
  virtual SinkValue matmul(const SinkValue& a, const SinkValue& b) = 0;
  /// Kernel [space..., channels / groups, filters].
  virtual SinkValue conv(const SinkValue& x, const SinkValue& kernel, const WindowSpec& spec) = 0;
  /// The gradient of conv() with respect to x, whose sizes are `space` and `channels`.
  virtual SinkValue conv_transpose(const SinkValue& y, const SinkValue& kernel,
                                   const WindowSpec& spec, const Dims& x) = 0;
  /// "max" or "sum" of windows.
  virtual SinkValue pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) = 0;
  virtual SinkValue concatenate(const std::vector<SinkValue>& xs, int64_t axis) = 0;
  /// A limit that is not given is the end.
  virtual SinkValue slice(const SinkValue& x, const Ints& starts,
                          const std::vector<std::optional<int64_t>>& limits,
                          const Ints& strides) = 0;
  virtual SinkValue reverse(const SinkValue& x, const Ints& axes) = 0;
  virtual SinkValue pad(const SinkValue& x, const Ints& low, const Ints& high,
                        const SinkValue& value) = 0;
  virtual SinkValue gather(const SinkValue& x, const SinkValue& indices, int64_t axis) = 0;
  /// softmax or log_softmax of an array of this rank.
  virtual SinkValue softmax(std::string_view op, const SinkValue& x, int64_t axis,
                            int64_t rank) = 0;
  virtual SinkValue cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) = 0;

 protected:
  /// The sizes of an array as a vector of int64.
  virtual SinkValue shape_of(const SinkValue& x) = 0;
  /// Tells of an input: the size of the batch is read from the first that has one.
  void note_input(const SinkValue& x, const Dims& dims);
  /// A list as a vector of int64, each list once.
  SinkValue ints(const Ints& values);
  SinkValue scalar(double value, DType dtype);
  /// Sizes as a vector of int64.
  SinkValue shape_vector(const Dims& dims);

 private:
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
