#include "saving/export/saved_model_sink.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "io/tf_data_type.h"
#include "saving/checkpoint_objects.h"

namespace antler::saving {
namespace {

/// TensorFlow 2.16's number of changes of the graph format.
constexpr int64_t kGraphProducer = 1766;
constexpr size_t kMaxGraphBytes = size_t{2} << 30;

struct TfName {
  std::string_view op;
  const char* tf;
};

constexpr TfName kTfUnary[] = {
    {"neg", "Neg"},
    {"abs", "Abs"},
    {"sign", "Sign"},
    {"exp", "Exp"},
    {"expm1", "Expm1"},
    {"log", "Log"},
    {"log1p", "Log1p"},
    {"sqrt", "Sqrt"},
    {"rsqrt", "Rsqrt"},
    {"sin", "Sin"},
    {"cos", "Cos"},
    {"tan", "Tan"},
    {"asin", "Asin"},
    {"acos", "Acos"},
    {"atan", "Atan"},
    {"sinh", "Sinh"},
    {"cosh", "Cosh"},
    {"tanh", "Tanh"},
    {"asinh", "Asinh"},
    {"acosh", "Acosh"},
    {"atanh", "Atanh"},
    {"erf", "Erf"},
    {"erf_inv", "Erfinv"},
    {"lgamma", "Lgamma"},
    {"floor", "Floor"},
    {"ceil", "Ceil"},
    {"round", "Round"},
    {"sigmoid", "Sigmoid"},
    {"digamma", "Digamma"},
    {"softplus", "Softplus"},
    {"is_finite", "IsFinite"},
    {"stop_gradient", "StopGradient"},
};
constexpr TfName kTfBinary[] = {
    {"add", "AddV2"},   {"sub", "Sub"},         {"mul", "Mul"},     {"max", "Maximum"},
    {"min", "Minimum"}, {"pow", "Pow"},         {"atan2", "Atan2"}, {"rem", "TruncateMod"},
    {"eq", "Equal"},    {"ne", "NotEqual"},     {"lt", "Less"},     {"le", "LessEqual"},
    {"gt", "Greater"},  {"ge", "GreaterEqual"},
};
constexpr TfName kTfReductions[] = {
    {"reduce_sum", "Sum"}, {"reduce_prod", "Prod"}, {"reduce_max", "Max"},
    {"reduce_min", "Min"}, {"reduce_any", "Any"},   {"reduce_all", "All"},
};

template <size_t n>
const char* tf_name(const TfName (&table)[n], std::string_view op) {
  for (const TfName& entry : table) {
    if (entry.op == op) return entry.tf;
  }
  throw NotImplementedError("There is no TensorFlow op for `" + std::string(op) + "`.");
}

bool compares(std::string_view op) {
  return op == "eq" || op == "ne" || op == "lt" || op == "le" || op == "gt" || op == "ge";
}

io::WireWriter shape_proto(const Dims& dims) {
  io::WireWriter shape;
  for (const Dim& d : dims) {
    io::WireWriter dim;
    dim.integer(1, d.is_dynamic() ? -1 : d.size);
    shape.message(2, dim);
  }
  return shape;
}

io::WireWriter map_entry(const std::string& key, const io::WireWriter& value) {
  io::WireWriter entry;
  entry.bytes(1, key);
  entry.message(2, value);
  return entry;
}

io::WireWriter tensor_info(const std::string& name, DType dtype, const Dims& dims) {
  io::WireWriter info;
  info.bytes(1, name + ":0");
  info.integer(2, io::tf_data_type(dtype));
  info.message(3, shape_proto(dims));
  return info;
}

std::vector<int64_t> with_ends(const std::vector<int64_t>& inner, int64_t end) {
  std::vector<int64_t> all = {end};
  all.insert(all.end(), inner.begin(), inner.end());
  all.push_back(end);
  return all;
}

void require_no_dilation(const WindowSpec& spec, const char* what) {
  for (const int64_t d : spec.dilations) {
    if (d != 1) {
      throw NotImplementedError(std::string("TensorFlow has no dilated ") + what + " on the CPU.");
    }
  }
}

}  // namespace

/// Attributes of a node.
class SavedModelSink::Attributes {
 public:
  Attributes& type(const char* name, DType dtype) {
    io::WireWriter value;
    value.integer(6, io::tf_data_type(dtype));
    return add(name, value);
  }
  Attributes& integer(const char* name, int64_t number) {
    io::WireWriter value;
    value.integer(3, number);
    return add(name, value);
  }
  Attributes& flag(const char* name, bool on) {
    io::WireWriter value;
    value.boolean(5, on);
    return add(name, value);
  }
  Attributes& text(const char* name, const char* bytes) {
    io::WireWriter value;
    value.bytes(2, bytes);
    return add(name, value);
  }
  Attributes& ints(const char* name, const Ints& numbers) {
    io::WireWriter list;
    list.packed(3, numbers);
    io::WireWriter value;
    value.message(1, list);
    return add(name, value);
  }
  Attributes& shape(const char* name, const Dims& dims) {
    io::WireWriter value;
    value.message(7, shape_proto(dims));
    return add(name, value);
  }
  Attributes& tensor(const char* name, const Tensor& array) {
    Dims dims;
    for (const int64_t size : array.shape()) dims.push_back({size, 0});
    io::WireWriter proto;
    proto.integer(1, io::tf_data_type(array.dtype()));
    proto.message(2, shape_proto(dims));
    proto.bytes(4, {static_cast<const char*>(array.data()), array.bytes()});
    io::WireWriter value;
    value.message(8, proto);
    return add(name, value);
  }
  const io::WireWriter& fields() const { return fields_; }

 private:
  Attributes& add(const char* name, const io::WireWriter& value) {
    fields_.message(5, map_entry(name, value));
    return *this;
  }
  io::WireWriter fields_;
};

std::string SavedModelSink::unique(const std::string& name) {
  std::string base;
  for (const char c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                         c == '-' || c == '/';
    base += allowed ? c : '_';
  }
  if (base.empty() || std::isalnum(static_cast<unsigned char>(base[0])) == 0) base = "n" + base;
  std::string result = base;
  for (size_t i = 1; !names_.insert(result).second; ++i) result = base + "_" + std::to_string(i);
  return result;
}

SinkValue SavedModelSink::node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                               const Attributes& attributes, const std::string& name) {
  // Numbers keep the search for a free name short.
  const std::string own =
      unique(name.empty() ? std::string(op) + "_" + std::to_string(names_.size()) : name);
  io::WireWriter message;
  message.bytes(1, own);
  message.bytes(2, op);
  for (const SinkValue& input : inputs) message.bytes(3, input.name);
  message.append(attributes.fields());
  nodes_.message(1, message);
  return {own, dtype};
}

SinkValue SavedModelSink::constant(const Tensor& value) {
  return node("Const", {}, value.dtype(),
              Attributes().type("dtype", value.dtype()).tensor("value", value));
}

SinkValue SavedModelSink::variable(const Variable& variable) {
  const auto known = variables_.find(variable.id());
  if (known != variables_.end()) return known->second;
  const Tensor value = variable.stored();
  return variables_[variable.id()] = node(
             "Const", {}, value.dtype(),
             Attributes().type("dtype", value.dtype()).tensor("value", value), variable.path());
}

SinkValue SavedModelSink::ints(const Ints& values) {
  const auto known = int_lists_.find(values);
  if (known != int_lists_.end()) return known->second;
  return int_lists_[values] = constant(Tensor::of<int64_t>(values));
}

SinkValue SavedModelSink::scalar(double value, DType dtype) {
  return constant(Tensor::full(dtype, {}, value));
}

SinkValue SavedModelSink::input(const std::string& name, DType dtype, const Dims& dims) {
  const SinkValue x =
      node("Placeholder", {}, dtype, Attributes().type("dtype", dtype).shape("shape", dims),
           "serving_default_" + name);
  if (first_input_.empty() && !dims.empty() && dims[0].per_batch == 1) {
    first_input_ = x.name;
    first_dtype_ = dtype;
  }
  signature_inputs_.message(1, map_entry(name, tensor_info(x.name, dtype, dims)));
  return x;
}

void SavedModelSink::output(const std::string& name, const SinkValue& x, const Dims& dims) {
  const SinkValue y =
      node("Identity", {x}, x.dtype, Attributes().type("T", x.dtype), "output_" + name);
  signature_outputs_.message(2, map_entry(name, tensor_info(y.name, x.dtype, dims)));
}

SinkValue SavedModelSink::unary(std::string_view op, const SinkValue& x) {
  if (op == "not") return node("LogicalNot", {x}, DType::boolean, Attributes());
  if (op == "trunc") {
    return binary("mul", unary("sign", x), unary("floor", unary("abs", x)));
  }
  return node(tf_name(kTfUnary, op), {x}, op == "is_finite" ? DType::boolean : x.dtype,
              Attributes().type("T", x.dtype));
}

SinkValue SavedModelSink::binary(std::string_view op, const SinkValue& a, const SinkValue& b) {
  if (a.dtype == DType::boolean) {
    if (op == "and" || op == "or") {
      return node(op == "and" ? "LogicalAnd" : "LogicalOr", {a, b}, DType::boolean, Attributes());
    }
    if (op == "xor") return binary("ne", a, b);
  }
  if (op == "div") {
    return node(is_floating(a.dtype) ? "RealDiv" : "TruncateDiv", {a, b}, a.dtype,
                Attributes().type("T", a.dtype));
  }
  return node(tf_name(kTfBinary, op), {a, b}, compares(op) ? DType::boolean : a.dtype,
              Attributes().type("T", a.dtype));
}

SinkValue SavedModelSink::select(const SinkValue& condition, const SinkValue& a,
                                 const SinkValue& b) {
  return node("SelectV2", {condition, a, b}, a.dtype, Attributes().type("T", a.dtype));
}

SinkValue SavedModelSink::cast(const SinkValue& x, DType to) {
  return node("Cast", {x}, to, Attributes().type("SrcT", x.dtype).type("DstT", to));
}

/// The sizes as a vector of the graph, the batch's read from the first input.
SinkValue SavedModelSink::shape_vector(const Dims& dims) {
  if (std::none_of(dims.begin(), dims.end(), [](const Dim& d) { return d.is_dynamic(); })) {
    Ints sizes;
    for (const Dim& d : dims) sizes.push_back(d.size);
    return ints(sizes);
  }
  if (!has_batch_) {
    const SinkValue shape =
        node("Shape", {{first_input_, first_dtype_}}, DType::int64,
             Attributes().type("T", first_dtype_).type("out_type", DType::int64));
    batch_ = slice(shape, {0}, {1}, {1});
    has_batch_ = true;
  }
  std::vector<SinkValue> parts;
  for (const Dim& d : dims) {
    if (!d.is_dynamic()) {
      parts.push_back(ints({d.size}));
    } else {
      parts.push_back(d.per_batch == 1 ? batch_ : binary("mul", batch_, ints({d.per_batch})));
    }
  }
  return parts.size() == 1 ? parts[0] : concatenate(parts, 0);
}

SinkValue SavedModelSink::reshape(const SinkValue& x, const Dims& dims) {
  return node("Reshape", {x, shape_vector(dims)}, x.dtype,
              Attributes().type("T", x.dtype).type("Tshape", DType::int64));
}

SinkValue SavedModelSink::expand(const SinkValue& x, const Dims& dims) {
  return node("BroadcastTo", {x, shape_vector(dims)}, x.dtype,
              Attributes().type("T", x.dtype).type("Tidx", DType::int64));
}

SinkValue SavedModelSink::transpose(const SinkValue& x, const Ints& permutation) {
  return node("Transpose", {x, ints(permutation)}, x.dtype,
              Attributes().type("T", x.dtype).type("Tperm", DType::int64));
}

SinkValue SavedModelSink::reduce(std::string_view op, const SinkValue& x, const Ints& axes) {
  Attributes attributes;
  attributes.type("Tidx", DType::int64).flag("keep_dims", false);
  if (x.dtype != DType::boolean) attributes.type("T", x.dtype);
  return node(tf_name(kTfReductions, op), {x, ints(axes)}, x.dtype, attributes);
}

SinkValue SavedModelSink::arg_extremum(std::string_view op, const SinkValue& x, int64_t axis,
                                       DType dtype) {
  const SinkValue index = node(
      op == "argmax" ? "ArgMax" : "ArgMin", {x, scalar(static_cast<double>(axis), DType::int64)},
      DType::int64,
      Attributes().type("T", x.dtype).type("Tidx", DType::int64).type("output_type", DType::int64));
  return dtype == DType::int64 ? index : cast(index, dtype);
}

SinkValue SavedModelSink::matmul(const SinkValue& a, const SinkValue& b) {
  return node("BatchMatMulV2", {a, b}, a.dtype,
              Attributes().type("T", a.dtype).flag("adj_x", false).flag("adj_y", false));
}

SinkValue SavedModelSink::expand_dims(const SinkValue& x, int64_t axis) {
  return node("ExpandDims", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              Attributes().type("T", x.dtype).type("Tdim", DType::int64));
}

SinkValue SavedModelSink::squeeze(const SinkValue& x, int64_t axis) {
  return node("Squeeze", {x}, x.dtype,
              Attributes().type("T", x.dtype).ints("squeeze_dims", {axis}));
}

SinkValue SavedModelSink::pad_space(const SinkValue& x, const WindowSpec& spec, double value) {
  const auto nothing = [](const Ints& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t s) { return s == 0; });
  };
  if (nothing(spec.pad_low) && nothing(spec.pad_high)) return x;
  return pad(x, with_ends(spec.pad_low, 0), with_ends(spec.pad_high, 0), scalar(value, x.dtype));
}

SinkValue SavedModelSink::conv(const SinkValue& x, const SinkValue& kernel,
                               const WindowSpec& spec) {
  if (spec.strides.size() == 1) {
    // A line of an image.
    const WindowSpec plane{.window = {},
                           .strides = {1, spec.strides[0]},
                           .dilations = {1, spec.dilations[0]},
                           .pad_low = {0, spec.pad_low[0]},
                           .pad_high = {0, spec.pad_high[0]},
                           .groups = spec.groups};
    return squeeze(conv(expand_dims(x, 1), expand_dims(kernel, 0), plane), 1);
  }
  const bool plane = spec.strides.size() == 2;
  if (!plane) require_no_dilation(spec, "convolution of volumes");
  if (!plane && spec.groups != 1) {
    throw NotImplementedError("TensorFlow has no convolution of volumes in groups on the CPU.");
  }
  return node(plane ? "Conv2D" : "Conv3D", {pad_space(x, spec, 0), kernel}, x.dtype,
              Attributes()
                  .type("T", x.dtype)
                  .ints("strides", with_ends(spec.strides, 1))
                  .ints("dilations", with_ends(spec.dilations, 1))
                  .text("padding", "VALID")
                  .text("data_format", plane ? "NHWC" : "NDHWC"));
}

SinkValue SavedModelSink::conv_transpose(const SinkValue& y, const SinkValue& kernel,
                                         const WindowSpec& spec, const Dims& x) {
  if (spec.strides.size() == 1) {
    const WindowSpec plane{.window = {},
                           .strides = {1, spec.strides[0]},
                           .dilations = {1, spec.dilations[0]},
                           .pad_low = {0, spec.pad_low[0]},
                           .pad_high = {0, spec.pad_high[0]},
                           .groups = spec.groups};
    return squeeze(conv_transpose(expand_dims(y, 1), expand_dims(kernel, 0), plane,
                                  {x[0], {1, 0}, x[1], x[2]}),
                   1);
  }
  require_no_dilation(spec, "transposed convolution");
  if (spec.groups != 1) {
    throw NotImplementedError("TensorFlow has no transposed convolution in groups on the CPU.");
  }
  const bool plane = spec.strides.size() == 2;
  Dims padded = x;
  Ints starts(x.size(), 0);
  std::vector<std::optional<int64_t>> limits(x.size());
  for (size_t i = 0; i < spec.strides.size(); ++i) {
    padded[i + 1].size += spec.pad_low[i] + spec.pad_high[i];
    starts[i + 1] = spec.pad_low[i];
    limits[i + 1] = spec.pad_low[i] + x[i + 1].size;
  }
  const SinkValue sizes = cast(shape_vector(padded), DType::int32);
  Attributes attributes;
  attributes.type("T", y.dtype)
      .ints("strides", with_ends(spec.strides, 1))
      .text("padding", "VALID")
      .text("data_format", plane ? "NHWC" : "NDHWC");
  if (!plane) attributes.type("Tshape", DType::int32);
  const SinkValue whole = node(plane ? "Conv2DBackpropInput" : "Conv3DBackpropInputV2",
                               {sizes, kernel, y}, y.dtype, attributes);
  return slice(whole, starts, limits, Ints(x.size(), 1));
}

SinkValue SavedModelSink::pool(std::string_view op, const SinkValue& x, const WindowSpec& spec) {
  if (spec.strides.size() == 1) {
    const WindowSpec plane{.window = {1, spec.window[0]},
                           .strides = {1, spec.strides[0]},
                           .dilations = {1, spec.dilations[0]},
                           .pad_low = {0, spec.pad_low[0]},
                           .pad_high = {0, spec.pad_high[0]}};
    return squeeze(pool(op, expand_dims(x, 1), plane), 1);
  }
  require_no_dilation(spec, "pooling");
  const bool plane = spec.strides.size() == 2;
  const bool is_max = op == "max";
  const char* name =
      plane ? (is_max ? "MaxPool" : "AvgPool") : (is_max ? "MaxPool3D" : "AvgPool3D");
  const SinkValue result = node(
      name, {pad_space(x, spec, is_max ? -std::numeric_limits<double>::infinity() : 0)}, x.dtype,
      Attributes()
          .type("T", x.dtype)
          .ints("ksize", with_ends(spec.window, 1))
          .ints("strides", with_ends(spec.strides, 1))
          .text("padding", "VALID")
          .text("data_format", plane ? "NHWC" : "NDHWC"));
  if (is_max) return result;
  int64_t size = 1;
  for (const int64_t n : spec.window) size *= n;
  return binary("mul", result, scalar(static_cast<double>(size), x.dtype));
}

SinkValue SavedModelSink::concatenate(const std::vector<SinkValue>& xs, int64_t axis) {
  if (xs.size() == 1) return xs[0];
  std::vector<SinkValue> inputs = xs;
  inputs.push_back(scalar(static_cast<double>(axis), DType::int64));
  return node("ConcatV2", inputs, xs[0].dtype,
              Attributes()
                  .integer("N", static_cast<int64_t>(xs.size()))
                  .type("T", xs[0].dtype)
                  .type("Tidx", DType::int64));
}

SinkValue SavedModelSink::slice(const SinkValue& x, const Ints& starts,
                                const std::vector<std::optional<int64_t>>& limits,
                                const Ints& strides) {
  Ints ends;
  int64_t open = 0;
  for (size_t i = 0; i < limits.size(); ++i) {
    ends.push_back(limits[i].value_or(0));
    if (!limits[i]) open |= int64_t{1} << i;
  }
  return node("StridedSlice", {x, ints(starts), ints(ends), ints(strides)}, x.dtype,
              Attributes()
                  .type("T", x.dtype)
                  .type("Index", DType::int64)
                  .integer("begin_mask", 0)
                  .integer("end_mask", open)
                  .integer("ellipsis_mask", 0)
                  .integer("new_axis_mask", 0)
                  .integer("shrink_axis_mask", 0));
}

SinkValue SavedModelSink::reverse(const SinkValue& x, const Ints& axes) {
  return node("ReverseV2", {x, ints(axes)}, x.dtype,
              Attributes().type("T", x.dtype).type("Tidx", DType::int64));
}

SinkValue SavedModelSink::pad(const SinkValue& x, const Ints& low, const Ints& high,
                              const SinkValue& value) {
  std::vector<int64_t> pairs;
  for (size_t i = 0; i < low.size(); ++i) {
    pairs.push_back(low[i]);
    pairs.push_back(high[i]);
  }
  const SinkValue paddings =
      constant(Tensor::of(pairs, {static_cast<int64_t>(low.size()), int64_t{2}}));
  return node("PadV2", {x, paddings, value}, x.dtype,
              Attributes().type("T", x.dtype).type("Tpaddings", DType::int64));
}

SinkValue SavedModelSink::gather(const SinkValue& x, const SinkValue& indices, int64_t axis) {
  const bool wide = indices.dtype == DType::int64 || indices.dtype == DType::int32;
  const SinkValue at = wide ? indices : cast(indices, DType::int64);
  return node("GatherV2", {x, at, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              Attributes()
                  .integer("batch_dims", 0)
                  .type("Tparams", x.dtype)
                  .type("Tindices", at.dtype)
                  .type("Taxis", DType::int64));
}

SinkValue SavedModelSink::softmax(std::string_view op, const SinkValue& x, int64_t axis,
                                  int64_t rank) {
  Ints order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(axis)], order.back());
  const bool moves = axis != rank - 1;  // TensorFlow's goes along the last axis
  const SinkValue y =
      node(op == "softmax" ? "Softmax" : "LogSoftmax", {moves ? transpose(x, order) : x}, x.dtype,
           Attributes().type("T", x.dtype));
  return moves ? transpose(y, order) : y;
}

SinkValue SavedModelSink::cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) {
  return node("Cumsum", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              Attributes()
                  .type("T", x.dtype)
                  .type("Tidx", DType::int64)
                  .flag("exclusive", exclusive)
                  .flag("reverse", reverse));
}

std::string SavedModelSink::message() const {
  io::WireWriter versions;
  versions.integer(1, kGraphProducer);
  io::WireWriter graph;
  graph.append(nodes_);
  graph.message(4, versions);
  io::WireWriter info;
  info.bytes(4, "serve");
  info.bytes(5, "2.16.0");
  io::WireWriter signature;
  signature.append(signature_inputs_);
  signature.append(signature_outputs_);
  signature.bytes(3, "tensorflow/serving/predict");
  io::WireWriter meta_graph;
  meta_graph.message(1, info);
  meta_graph.message(2, graph);
  meta_graph.message(5, map_entry("serving_default", signature));
  io::WireWriter saved_model;
  saved_model.integer(1, 1);
  saved_model.message(2, meta_graph);
  return saved_model.text();
}

void SavedModelSink::save(const std::string& path, const Layer& weights) const {
  namespace fs = std::filesystem;
  if (nodes_.text().size() >= kMaxGraphBytes) {
    throw ValueError(
        "The model is too large for a SavedModel with its weights in the graph, "
        "which holds less than 2 GB.");
  }
  std::error_code error;
  fs::create_directories(fs::path(path) / "variables", error);
  if (error) throw IOError("Cannot create the folder '" + path + "': " + error.message() + ".");
  ObjectGraphWriter objects(/*keras_version=*/2);
  objects.add_root(weights);
  io::save_tensor_bundle((fs::path(path) / "variables" / "variables").string(), objects.entries());
  write_file_atomically((fs::path(path) / "saved_model.pb").string(), message());
}

}  // namespace antler::saving
