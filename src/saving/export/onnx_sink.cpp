#include "saving/export/onnx_sink.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "antler/base/error.h"

namespace antler::saving {
namespace {

constexpr int64_t kIrVersion = 8;
constexpr int64_t kOperatorSet = 17;
constexpr size_t kMaxOnnxBytes = size_t{2} << 30;

/// onnx.TensorProto.DataType in the order of DType.
constexpr std::array<int64_t, kNumDTypes> kOnnxTypes = {1, 11, 16, 10, 3, 5, 6, 7, 2, 4, 12, 13, 9};

int64_t onnx_type(DType dtype) { return kOnnxTypes[static_cast<size_t>(dtype)]; }

const char* onnx_name(std::string_view op) { return name_in(&OpNames::onnx, op, "ONNX"); }

io::WireWriter value_info(const std::string& name, DType dtype, const Dims& dims) {
  io::WireWriter shape;
  for (const Dim& d : dims) {
    io::WireWriter dim;
    if (d.is_dynamic()) {
      dim.bytes(2, d.per_batch == 1 ? "batch" : format("batch_x{}", d.per_batch));
    } else {
      dim.integer(1, d.size);
    }
    shape.message(1, dim);
  }
  io::WireWriter tensor;
  tensor.integer(1, onnx_type(dtype));
  tensor.message(2, shape);
  io::WireWriter type;
  type.message(1, tensor);
  io::WireWriter info;
  info.bytes(1, name);
  info.message(2, type);
  return info;
}

}  // namespace

/// Attributes of a node.
class OnnxSink::Attributes {
 public:
  Attributes& integer(const char* name, int64_t value) {
    io::WireWriter a;
    a.bytes(1, name);
    a.integer(3, value);
    a.integer(20, 2);
    return add(a);
  }
  Attributes& ints(const char* name, const Ints& values) {
    io::WireWriter a;
    a.bytes(1, name);
    a.packed(8, values);
    a.integer(20, 7);
    return add(a);
  }
  const std::vector<io::WireWriter>& all() const { return all_; }

 private:
  Attributes& add(const io::WireWriter& a) {
    all_.push_back(a);
    return *this;
  }
  std::vector<io::WireWriter> all_;
};

SinkValue OnnxSink::node(const char* op, const std::vector<SinkValue>& inputs, DType dtype) {
  return node(op, inputs, dtype, Attributes());
}

SinkValue OnnxSink::node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                         const Attributes& attributes) {
  const std::string name = format("v{}", count_++);
  io::WireWriter message;
  for (const SinkValue& input : inputs) message.bytes(1, input.name);
  message.bytes(2, name);
  message.bytes(3, format("{}_{}", op, name));
  message.bytes(4, op);
  for (const io::WireWriter& attribute : attributes.all()) message.message(5, attribute);
  nodes_.message(1, message);
  return {name, dtype};
}

SinkValue OnnxSink::initializer(const std::string& name, const Tensor& value) {
  io::WireWriter tensor;
  if (value.rank() > 0) tensor.packed(1, value.shape().dims());
  tensor.integer(2, onnx_type(value.dtype()));
  tensor.bytes(8, name);
  tensor.bytes(9, {static_cast<const char*>(value.data()), value.bytes()});
  initializers_.message(5, tensor);
  return {name, value.dtype()};
}

SinkValue OnnxSink::constant(const Tensor& value) {
  return initializer(format("c{}", count_++), value);
}

SinkValue OnnxSink::weight(const std::string& name, const Tensor& value) {
  return initializer(format("{}_{}", name, count_++), value);
}

SinkValue OnnxSink::input(const std::string& name, DType dtype, const Dims& dims) {
  inputs_.message(11, value_info(name, dtype, dims));
  const SinkValue x = {name, dtype};
  note_input(x, dims);
  return x;
}

void OnnxSink::output(const std::string& name, const SinkValue& x, const Dims& dims) {
  io::WireWriter message;
  message.bytes(1, x.name);
  message.bytes(2, name);
  message.bytes(4, "Identity");
  nodes_.message(1, message);
  outputs_.message(12, value_info(name, x.dtype, dims));
}

SinkValue OnnxSink::unary(std::string_view op, const SinkValue& x) {
  const DType type = x.dtype;
  if (op == "expm1") return binary("sub", node("Exp", {x}, type), scalar(1, type));
  if (op == "log1p") return node("Log", {binary("add", x, scalar(1, type))}, type);
  if (op == "rsqrt") return node("Reciprocal", {node("Sqrt", {x}, type)}, type);
  if (op == "trunc") {
    return binary("mul", node("Sign", {x}, type), node("Floor", {node("Abs", {x}, type)}, type));
  }
  if (op == "is_finite") {
    const SinkValue infinite = node("IsInf", {x}, DType::boolean);
    const SinkValue nan = node("IsNaN", {x}, DType::boolean);
    return unary("not", binary("or", infinite, nan));
  }
  return node(onnx_name(op), {x}, type);
}

SinkValue OnnxSink::binary(std::string_view op, const SinkValue& a, const SinkValue& b) {
  if (op == "ne") return unary("not", binary("eq", a, b));
  if (op == "rem") return node("Mod", {a, b}, a.dtype, Attributes().integer("fmod", 1));
  if ((op == "and" || op == "or" || op == "xor") && a.dtype != DType::boolean) {
    throw NotImplementedError("`{}` of integers cannot be exported to ONNX.", op);
  }
  return node(onnx_name(op), {a, b}, result_dtype(op, {a.dtype, b.dtype}));
}

SinkValue OnnxSink::select(const SinkValue& condition, const SinkValue& a, const SinkValue& b) {
  return node("Where", {condition, a, b}, a.dtype);
}

SinkValue OnnxSink::cast(const SinkValue& x, DType to) {
  return node("Cast", {x}, to, Attributes().integer("to", onnx_type(to)));
}

SinkValue OnnxSink::shape_of(const SinkValue& x) { return node("Shape", {x}, DType::int64); }

SinkValue OnnxSink::reshape(const SinkValue& x, const Dims& dims) {
  Ints sizes;
  int dynamic = 0;
  bool empty = false;
  for (const Dim& d : dims) {
    sizes.push_back(d.is_dynamic() ? -1 : d.size);
    dynamic += d.is_dynamic() ? 1 : 0;
    empty = empty || d.size == 0;
  }
  // By default 0 means the size of the input, and only one -1 is allowed.
  if (empty || dynamic > 1) {
    return node("Reshape", {x, shape_vector(dims)}, x.dtype, Attributes().integer("allowzero", 1));
  }
  return node("Reshape", {x, ints(sizes)}, x.dtype);
}

SinkValue OnnxSink::expand(const SinkValue& x, const Dims& dims) {
  return node("Expand", {x, shape_vector(dims)}, x.dtype);
}

SinkValue OnnxSink::transpose(const SinkValue& x, const Ints& permutation) {
  return node("Transpose", {x}, x.dtype, Attributes().ints("perm", permutation));
}

SinkValue OnnxSink::reduce(std::string_view op, const SinkValue& x, const Ints& axes) {
  const char* name = onnx_name(op);
  Attributes attributes;
  attributes.integer("keepdims", 0);
  if (op == "reduce_sum") return node(name, {x, ints(axes)}, x.dtype, attributes);
  attributes.ints("axes", axes);
  if (x.dtype != DType::boolean) return node(name, {x}, x.dtype, attributes);
  return cast(node(name, {cast(x, DType::int32)}, DType::int32, attributes), DType::boolean);
}

SinkValue OnnxSink::arg_extremum(std::string_view op, const SinkValue& x, int64_t axis,
                                 DType dtype) {
  const SinkValue index = node(op == "argmax" ? "ArgMax" : "ArgMin", {x}, DType::int64,
                               Attributes().integer("axis", axis).integer("keepdims", 0));
  return dtype == DType::int64 ? index : cast(index, dtype);
}

SinkValue OnnxSink::matmul(const SinkValue& a, const SinkValue& b) {
  return node("MatMul", {a, b}, a.dtype);
}

SinkValue OnnxSink::channels_first(const SinkValue& x, size_t space) {
  Ints order = {0, static_cast<int64_t>(space) + 1};
  for (size_t i = 1; i <= space; ++i) order.push_back(static_cast<int64_t>(i));
  return transpose(x, order);
}

SinkValue OnnxSink::channels_last(const SinkValue& x, size_t space) {
  Ints order = {0};
  for (size_t i = 2; i < space + 2; ++i) order.push_back(static_cast<int64_t>(i));
  order.push_back(1);
  return transpose(x, order);
}

/// [space..., in, out] to [out, in, space...].
SinkValue OnnxSink::kernel_first(const SinkValue& kernel, size_t space) {
  const auto n = static_cast<int64_t>(space);
  Ints order = {n + 1, n};
  for (int64_t i = 0; i < n; ++i) order.push_back(i);
  return transpose(kernel, order);
}

SinkValue OnnxSink::conv(const SinkValue& x, const SinkValue& kernel, const WindowSpec& spec) {
  const size_t space = spec.strides.size();
  Attributes attributes;
  attributes.ints("strides", spec.strides)
      .ints("dilations", spec.dilations)
      .ints("pads", concatenated({spec.pad_low, spec.pad_high}))
      .integer("group", spec.groups);
  return channels_last(
      node("Conv", {channels_first(x, space), kernel_first(kernel, space)}, x.dtype, attributes),
      space);
}

SinkValue OnnxSink::conv_transpose(const SinkValue& y, const SinkValue& kernel,
                                   const WindowSpec& spec, const Dims& x) {
  const size_t space = spec.strides.size();
  if (spec.groups != 1) {
    throw NotImplementedError("A grouped transposed convolution cannot be exported to ONNX.");
  }
  // The full output is computed and then cropped, because with `output_shape` ONNX would choose the
  // padding itself.
  Attributes attributes;
  attributes.ints("strides", spec.strides).ints("dilations", spec.dilations);
  const SinkValue whole =
      node("ConvTranspose", {channels_first(y, space), kernel_first(kernel, space)}, y.dtype,
           attributes);
  const SinkValue last = channels_last(whole, space);
  // The output may be larger than the windows reach; padding by its size is always enough.
  Ints high(space + 2, 0);
  for (size_t i = 1; i <= space; ++i) high[i] = x[i].size;
  const SinkValue padded = pad(last, Ints(space + 2, 0), high, scalar(0, y.dtype));
  return crop_space(padded, spec, x);
}

SinkValue OnnxSink::pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) {
  const size_t space = spec.strides.size();
  Attributes attributes;
  attributes.ints("kernel_shape", spec.window).ints("strides", spec.strides);
  const bool dilated =
      std::any_of(spec.dilations.begin(), spec.dilations.end(), [](int64_t d) { return d != 1; });
  if (op == "max") {
    attributes.ints("dilations", spec.dilations)
        .ints("pads", concatenated({spec.pad_low, spec.pad_high}));
    return channels_last(node("MaxPool", {channels_first(x, space)}, x.dtype, attributes), space);
  }
  if (dilated) throw NotImplementedError("Dilated sum pooling cannot be exported to ONNX.");
  // AveragePool can pad by less than the window only, so padding is an operation of its own.
  const SinkValue padded = pad_space(x, spec, 0);
  const SinkValue mean = channels_last(
      node("AveragePool", {channels_first(padded, space)}, x.dtype, attributes), space);
  return sum_of_mean(mean, spec);
}

SinkValue OnnxSink::concatenate(const std::vector<SinkValue>& xs, int64_t axis) {
  return node("Concat", xs, xs[0].dtype, Attributes().integer("axis", axis));
}

SinkValue OnnxSink::slice(const SinkValue& x, const Ints& starts,
                          const std::vector<std::optional<int64_t>>& limits, const Ints& strides) {
  Ints axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  Ints ends;
  for (const auto& limit : limits) {
    ends.push_back(limit.value_or(std::numeric_limits<int64_t>::max()));
  }
  return node("Slice", {x, ints(starts), ints(ends), ints(axes), ints(strides)}, x.dtype);
}

SinkValue OnnxSink::reverse(const SinkValue& x, const Ints& axes) {
  // From the last element down to, but not including, the one before the first.
  const Ints starts(axes.size(), -1);
  const Ints ends(axes.size(), std::numeric_limits<int64_t>::min());
  const Ints steps(axes.size(), -1);
  return node("Slice", {x, ints(starts), ints(ends), ints(axes), ints(steps)}, x.dtype);
}

SinkValue OnnxSink::pad(const SinkValue& x, const Ints& low, const Ints& high,
                        const SinkValue& value) {
  return node("Pad", {x, ints(concatenated({low, high})), value}, x.dtype);
}

SinkValue OnnxSink::gather(const SinkValue& x, const SinkValue& indices, int64_t axis) {
  return node("Gather", {x, wide_indices(indices)}, x.dtype, Attributes().integer("axis", axis));
}

SinkValue OnnxSink::softmax(std::string_view op, const SinkValue& x, int64_t axis, int64_t) {
  return node(op == "softmax" ? "Softmax" : "LogSoftmax", {x}, x.dtype,
              Attributes().integer("axis", axis));
}

SinkValue OnnxSink::cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) {
  return node("CumSum", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              Attributes().integer("exclusive", exclusive).integer("reverse", reverse));
}

std::string OnnxSink::model() const {
  if (nodes_.text().size() + initializers_.text().size() >= kMaxOnnxBytes) {
    throw ValueError("The model is too large for an ONNX file, which is limited to 2 GB.");
  }
  io::WireWriter graph;
  graph.append(nodes_);
  graph.bytes(2, graph_name_);
  graph.append(initializers_);
  graph.append(inputs_);
  graph.append(outputs_);
  io::WireWriter operators;
  operators.bytes(1, "");
  operators.integer(2, kOperatorSet);
  io::WireWriter message;
  message.integer(1, kIrVersion);
  message.bytes(2, "antler");
  message.message(7, graph);
  message.message(8, operators);
  return message.text();
}

}  // namespace antler::saving
