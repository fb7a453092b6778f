#include "saving/export/saved_model_sink.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "io/tf_data_type.h"
#include "saving/checkpoint_objects.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

/// The version of TensorFlow 2.16's graph format.
constexpr int64_t kGraphProducer = 1766;
constexpr size_t kMaxGraphBytes = size_t{2} << 30;

const char* tensorflow_name(std::string_view op) {
  return name_in(&OpNames::tensorflow, op, "TensorFlow");
}

io::WireWriter tensor_info(const std::string& name, DType dtype, const Dims& dims) {
  io::WireWriter info;
  info.bytes(1, name + ":0");
  info.integer(2, io::tf_data_type(dtype));
  info.message(3, shape_proto(dims));
  return info;
}

}  // namespace

std::string SavedModelSink::unique(const std::string& name) {
  std::string base;
  for (const char c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                         c == '-' || c == '/';
    base += allowed ? c : '_';
  }
  if (base.empty() || std::isalnum(static_cast<unsigned char>(base[0])) == 0) base = "n" + base;
  std::string result = base;
  for (size_t i = 1; !names_.insert(result).second; ++i) result = format("{}_{}", base, i);
  return result;
}

SinkValue SavedModelSink::node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                               const TfAttributes& attributes, const std::string& name) {
  // The number makes it likely that the first attempt is unique.
  const std::string own = unique(name.empty() ? format("{}_{}", op, names_.size()) : name);
  io::WireWriter message;
  message.bytes(1, own);
  message.bytes(2, op);
  for (const SinkValue& input : inputs) message.bytes(3, input.name);
  message.append(attributes.fields());
  nodes_.message(1, message);
  return {own, dtype};
}

SinkValue SavedModelSink::constant(const Tensor& value) { return weight("", value); }

SinkValue SavedModelSink::weight(const std::string& name, const Tensor& value) {
  return node("Const", {}, value.dtype(),
              TfAttributes().type("dtype", value.dtype()).tensor("value", value), name);
}

SinkValue SavedModelSink::input(const std::string& name, DType dtype, const Dims& dims) {
  const SinkValue x =
      node("Placeholder", {}, dtype, TfAttributes().type("dtype", dtype).shape("shape", dims),
           "serving_default_" + name);
  note_input(x, dims);
  signature_inputs_.message(1, map_entry(name, tensor_info(x.name, dtype, dims)));
  return x;
}

void SavedModelSink::output(const std::string& name, const SinkValue& x, const Dims& dims) {
  const SinkValue y =
      node("Identity", {x}, x.dtype, TfAttributes().type("T", x.dtype), "output_" + name);
  signature_outputs_.message(2, map_entry(name, tensor_info(y.name, x.dtype, dims)));
}

SinkValue SavedModelSink::unary(std::string_view op, const SinkValue& x) {
  if (op == "not") return node(tensorflow_name(op), {x}, DType::boolean, TfAttributes());
  if (op == "trunc") {
    return binary("mul", unary("sign", x), unary("floor", unary("abs", x)));
  }
  return node(tensorflow_name(op), {x}, result_dtype(op, {x.dtype}),
              TfAttributes().type("T", x.dtype));
}

SinkValue SavedModelSink::binary(std::string_view op, const SinkValue& a, const SinkValue& b) {
  const bool is_boolean = a.dtype == DType::boolean;
  if (op == "xor" && is_boolean) return binary("ne", a, b);
  if (op == "and" || op == "or") {
    if (!is_boolean) {
      throw NotImplementedError("TensorFlow's `{}` of integers is not supported here.",
                                tensorflow_name(op));
    }
    return node(tensorflow_name(op), {a, b}, DType::boolean, TfAttributes());
  }
  const bool whole = op == "div" && !is_floating(a.dtype);
  return node(whole ? "TruncateDiv" : tensorflow_name(op), {a, b},
              result_dtype(op, {a.dtype, b.dtype}), TfAttributes().type("T", a.dtype));
}

SinkValue SavedModelSink::select(const SinkValue& condition, const SinkValue& a,
                                 const SinkValue& b) {
  return node("SelectV2", {condition, a, b}, a.dtype, TfAttributes().type("T", a.dtype));
}

SinkValue SavedModelSink::cast(const SinkValue& x, DType to) {
  return node("Cast", {x}, to, TfAttributes().type("SrcT", x.dtype).type("DstT", to));
}

SinkValue SavedModelSink::shape_of(const SinkValue& x) {
  return node("Shape", {x}, DType::int64,
              TfAttributes().type("T", x.dtype).type("out_type", DType::int64));
}

SinkValue SavedModelSink::reshape(const SinkValue& x, const Dims& dims) {
  return node("Reshape", {x, shape_vector(dims)}, x.dtype,
              TfAttributes().type("T", x.dtype).type("Tshape", DType::int64));
}

SinkValue SavedModelSink::expand(const SinkValue& x, const Dims& dims) {
  return node("BroadcastTo", {x, shape_vector(dims)}, x.dtype,
              TfAttributes().type("T", x.dtype).type("Tidx", DType::int64));
}

SinkValue SavedModelSink::transpose(const SinkValue& x, const Ints& permutation) {
  return node("Transpose", {x, ints(permutation)}, x.dtype,
              TfAttributes().type("T", x.dtype).type("Tperm", DType::int64));
}

SinkValue SavedModelSink::reduce(std::string_view op, const SinkValue& x, const Ints& axes) {
  TfAttributes attributes;
  attributes.type("Tidx", DType::int64).flag("keep_dims", false);
  if (x.dtype != DType::boolean) attributes.type("T", x.dtype);
  return node(tensorflow_name(op), {x, ints(axes)}, x.dtype, attributes);
}

SinkValue SavedModelSink::arg_extremum(std::string_view op, const SinkValue& x, int64_t axis,
                                       DType dtype) {
  const SinkValue index = node(op == "argmax" ? "ArgMax" : "ArgMin",
                               {x, scalar(static_cast<double>(axis), DType::int64)}, DType::int64,
                               TfAttributes()
                                   .type("T", x.dtype)
                                   .type("Tidx", DType::int64)
                                   .type("output_type", DType::int64));
  return dtype == DType::int64 ? index : cast(index, dtype);
}

SinkValue SavedModelSink::matmul(const SinkValue& a, const SinkValue& b) {
  return node("BatchMatMulV2", {a, b}, a.dtype,
              TfAttributes().type("T", a.dtype).flag("adj_x", false).flag("adj_y", false));
}

SinkValue SavedModelSink::concatenate(const std::vector<SinkValue>& xs, int64_t axis) {
  if (xs.size() == 1) return xs[0];
  std::vector<SinkValue> inputs = xs;
  inputs.push_back(scalar(static_cast<double>(axis), DType::int64));
  return node("ConcatV2", inputs, xs[0].dtype,
              TfAttributes()
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
              TfAttributes()
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
              TfAttributes().type("T", x.dtype).type("Tidx", DType::int64));
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
              TfAttributes().type("T", x.dtype).type("Tpaddings", DType::int64));
}

SinkValue SavedModelSink::gather(const SinkValue& x, const SinkValue& indices, int64_t axis) {
  const SinkValue at = wide_indices(indices);
  return node("GatherV2", {x, at, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              TfAttributes()
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
  const bool moves = axis != rank - 1;  // TensorFlow has only the last axis
  const SinkValue y =
      node(op == "softmax" ? "Softmax" : "LogSoftmax", {moves ? transpose(x, order) : x}, x.dtype,
           TfAttributes().type("T", x.dtype));
  return moves ? transpose(y, order) : y;
}

SinkValue SavedModelSink::cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) {
  return node("Cumsum", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              TfAttributes()
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
        "The model is too large for a SavedModel with its weights in the graph, which is limited "
        "to "
        "2 GB.");
  }
  std::error_code error;
  fs::create_directories(fs::path(path) / "variables", error);
  if (error) throw IOError("Cannot create the folder '{}': {}.", path, error.message());
  ObjectGraphWriter objects(/*keras_version=*/2);
  objects.add_root(weights);
  io::save_tensor_bundle((fs::path(path) / "variables" / "variables").string(), objects.entries());
  write_file_atomically((fs::path(path) / "saved_model.pb").string(), message());
}

}  // namespace antler::saving
