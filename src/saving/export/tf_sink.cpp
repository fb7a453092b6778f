#include "saving/export/tf_sink.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {
namespace {

const char* tensorflow_name(std::string_view op) {
  return name_in(&OpNames::tensorflow, op, "TensorFlow");
}

}  // namespace

SinkValue TfSink::node(const char* op, const std::vector<SinkValue>& inputs, DType dtype,
                       const TfAttributes& attributes, const std::string& name) {
  std::vector<std::string> names;
  for (const SinkValue& input : inputs) names.push_back(input.name);
  return {graph_.node(op, names, attributes, name), dtype};
}

TfAttributes TfSink::attrs() const { return TfAttributes(has_strings_); }

SinkValue TfSink::constant(const Tensor& value) {
  if (has_strings_ && value.dtype() == kStringDType) {
    return node("Const", {}, value.dtype(),
                attrs().string_type("dtype").tensor("value", strings_of(value)));
  }
  return node("Const", {}, value.dtype(),
              attrs().type("dtype", value.dtype()).tensor("value", value));
}

SinkValue TfSink::unary(std::string_view op, const SinkValue& x) {
  if (op == "not") return node(tensorflow_name(op), {x}, DType::boolean, attrs());
  if (op == "trunc") {
    return binary("mul", unary("sign", x), unary("floor", unary("abs", x)));
  }
  return node(tensorflow_name(op), {x}, result_dtype(op, {x.dtype}), attrs().type("T", x.dtype));
}

SinkValue TfSink::binary(std::string_view op, const SinkValue& a, const SinkValue& b) {
  const bool is_boolean = a.dtype == DType::boolean;
  if (op == "xor" && is_boolean) return binary("ne", a, b);
  if (op == "and" || op == "or") {
    if (!is_boolean) {
      throw NotImplementedError("TensorFlow's `{}` of integers is not supported here.",
                                tensorflow_name(op));
    }
    return node(tensorflow_name(op), {a, b}, DType::boolean, attrs());
  }
  const bool whole = op == "div" && !is_floating(a.dtype);
  return node(whole ? "TruncateDiv" : tensorflow_name(op), {a, b},
              result_dtype(op, {a.dtype, b.dtype}), attrs().type("T", a.dtype));
}

SinkValue TfSink::select(const SinkValue& condition, const SinkValue& a, const SinkValue& b) {
  return node("SelectV2", {condition, a, b}, a.dtype, attrs().type("T", a.dtype));
}

SinkValue TfSink::as_string(const SinkValue& x) {
  if (!has_strings_) return GraphSink::as_string(x);
  return node("AsString", {x}, kStringDType, attrs().type("T", x.dtype));
}

SinkValue TfSink::cast(const SinkValue& x, DType to) {
  return node("Cast", {x}, to, attrs().type("SrcT", x.dtype).type("DstT", to));
}

SinkValue TfSink::shape_of(const SinkValue& x) {
  return node("Shape", {x}, DType::int64,
              attrs().type("T", x.dtype).type("out_type", DType::int64));
}

SinkValue TfSink::reshape(const SinkValue& x, const Dims& dims) {
  return node("Reshape", {x, shape_vector(dims)}, x.dtype,
              attrs().type("T", x.dtype).type("Tshape", DType::int64));
}

SinkValue TfSink::expand(const SinkValue& x, const Dims& dims) {
  return node("BroadcastTo", {x, shape_vector(dims)}, x.dtype,
              attrs().type("T", x.dtype).type("Tidx", DType::int64));
}

SinkValue TfSink::transpose(const SinkValue& x, const Ints& permutation) {
  return node("Transpose", {x, ints(permutation)}, x.dtype,
              attrs().type("T", x.dtype).type("Tperm", DType::int64));
}

SinkValue TfSink::reduce(std::string_view op, const SinkValue& x, const Ints& axes) {
  TfAttributes attributes = attrs();
  attributes.type("Tidx", DType::int64).flag("keep_dims", false);
  if (x.dtype != DType::boolean) attributes.type("T", x.dtype);
  return node(tensorflow_name(op), {x, ints(axes)}, x.dtype, attributes);
}

SinkValue TfSink::arg_extremum(std::string_view op, const SinkValue& x, int64_t axis, DType dtype) {
  const SinkValue index =
      node(op == "argmax" ? "ArgMax" : "ArgMin",
           {x, scalar(static_cast<double>(axis), DType::int64)}, DType::int64,
           attrs().type("T", x.dtype).type("Tidx", DType::int64).type("output_type", DType::int64));
  return dtype == DType::int64 ? index : cast(index, dtype);
}

SinkValue TfSink::matmul(const SinkValue& a, const SinkValue& b) {
  return node("BatchMatMulV2", {a, b}, a.dtype,
              attrs().type("T", a.dtype).flag("adj_x", false).flag("adj_y", false));
}

SinkValue TfSink::concatenate(const std::vector<SinkValue>& xs, int64_t axis) {
  if (xs.size() == 1) return xs[0];
  std::vector<SinkValue> inputs = xs;
  inputs.push_back(scalar(static_cast<double>(axis), DType::int64));
  return node("ConcatV2", inputs, xs[0].dtype,
              attrs()
                  .integer("N", static_cast<int64_t>(xs.size()))
                  .type("T", xs[0].dtype)
                  .type("Tidx", DType::int64));
}

SinkValue TfSink::slice(const SinkValue& x, const Ints& starts,
                        const std::vector<std::optional<int64_t>>& limits, const Ints& strides) {
  Ints ends;
  int64_t open = 0;
  for (size_t i = 0; i < limits.size(); ++i) {
    ends.push_back(limits[i].value_or(0));
    if (!limits[i]) open |= int64_t{1} << i;
  }
  return node("StridedSlice", {x, ints(starts), ints(ends), ints(strides)}, x.dtype,
              attrs()
                  .type("T", x.dtype)
                  .type("Index", DType::int64)
                  .integer("begin_mask", 0)
                  .integer("end_mask", open)
                  .integer("ellipsis_mask", 0)
                  .integer("new_axis_mask", 0)
                  .integer("shrink_axis_mask", 0));
}

SinkValue TfSink::reverse(const SinkValue& x, const Ints& axes) {
  return node("ReverseV2", {x, ints(axes)}, x.dtype,
              attrs().type("T", x.dtype).type("Tidx", DType::int64));
}

SinkValue TfSink::pad(const SinkValue& x, const Ints& low, const Ints& high,
                      const SinkValue& value) {
  std::vector<int64_t> pairs;
  for (size_t i = 0; i < low.size(); ++i) {
    pairs.push_back(low[i]);
    pairs.push_back(high[i]);
  }
  const SinkValue paddings =
      constant(Tensor::of(pairs, {static_cast<int64_t>(low.size()), int64_t{2}}));
  return node("PadV2", {x, paddings, value}, x.dtype,
              attrs().type("T", x.dtype).type("Tpaddings", DType::int64));
}

SinkValue TfSink::gather(const SinkValue& x, const SinkValue& indices, int64_t axis) {
  const SinkValue at = wide_indices(indices);
  return node("GatherV2", {x, at, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              attrs()
                  .integer("batch_dims", 0)
                  .type("Tparams", x.dtype)
                  .type("Tindices", at.dtype)
                  .type("Taxis", DType::int64));
}

SinkValue TfSink::softmax(std::string_view op, const SinkValue& x, int64_t axis, int64_t rank) {
  Ints order;
  for (int64_t i = 0; i < rank; ++i) order.push_back(i);
  std::swap(order[static_cast<size_t>(axis)], order.back());
  const bool moves = axis != rank - 1;  // TensorFlow has only the last axis
  const SinkValue y = node(op == "softmax" ? "Softmax" : "LogSoftmax",
                           {moves ? transpose(x, order) : x}, x.dtype, attrs().type("T", x.dtype));
  return moves ? transpose(y, order) : y;
}

SinkValue TfSink::cumsum(const SinkValue& x, int64_t axis, bool exclusive, bool reverse) {
  return node("Cumsum", {x, scalar(static_cast<double>(axis), DType::int64)}, x.dtype,
              attrs()
                  .type("T", x.dtype)
                  .type("Tidx", DType::int64)
                  .flag("exclusive", exclusive)
                  .flag("reverse", reverse));
}

}  // namespace antler::saving
