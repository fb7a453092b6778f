#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/op_names.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

using ops::where;

template <Tensor (*f)(const Tensor&)>
Tensors unary(const TfCall& c) {
  return {f(c.in(0))};
}

template <Tensor (*f)(const Tensor&, const Tensor&)>
Tensors binary(const TfCall& c) {
  return {f(c.in(0), c.in(1))};
}

Tensors first(const TfCall& c) { return {c.in(0)}; }

/// Along the last axis, or axis 1 for channels first.
Tensors bias_add(const TfCall& c) {
  const Tensor& x = c.in(0);
  const Tensor& bias = c.in(1);
  if (c.text("data_format", "NHWC") != "NCHW" || x.rank() < 3) return {ops::add(x, bias)};
  Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  shape[1] = bias.size();
  return {ops::add(x, ops::reshape(bias, shape))};
}

Tensors add_n(const TfCall& c) {
  Tensor sum = c.in(0);
  for (size_t i = 1; i < c.size(); ++i) sum = ops::add(sum, c.in(i));
  return {sum};
}

/// TensorFlow 1's Select: a vector of conditions selects rows.
Tensors select_rows(const TfCall& c) {
  Tensor condition = c.in(0);
  const int rank = c.in(1).rank();
  if (condition.rank() == 1 && rank > 1) {
    Shape shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
    shape[0] = condition.size();
    condition = ops::reshape(condition, shape);
  }
  return {where(condition, c.in(1), c.in(2))};
}

Tensor truncated_quotient(const Tensor& x, const Tensor& y) {
  const Tensor quotient = ops::floor_divide(ops::absolute(x), ops::absolute(y));
  return ops::multiply(quotient, ops::multiply(ops::sign(x), ops::sign(y)));
}

Tensor truncated_remainder(const Tensor& x, const Tensor& y) {
  return ops::multiply(ops::sign(x), ops::mod(ops::absolute(x), ops::absolute(y)));
}

/// Integer division truncates, as in C.
Tensors div(const TfCall& c) {
  if (is_floating(c.in(0).dtype())) return {ops::divide(c.in(0), c.in(1))};
  return {truncated_quotient(c.in(0), c.in(1))};
}

/// 0 where y is 0, even if x is NaN or infinite.
Tensor multiply_no_nan(const Tensor& x, const Tensor& y) {
  return where(ops::equal(y, 0), ops::zeros_like(x), ops::multiply(x, y));
}

Tensors leaky_relu(const TfCall& c) { return {ops::leaky_relu(c.in(0), c.number("alpha", 0.2))}; }

Tensors elu(const TfCall& c) { return {ops::elu(c.in(0))}; }

Tensors clip(const TfCall& c) { return {ops::clip(c.in(0), c.in(1), c.in(2))}; }

Tensors cast(const TfCall& c) { return {ops::cast(c.in(0), c.dtype("DstT", DType::float32))}; }

Tensors bitcast(const TfCall& c) {
  const DType to = c.dtype("type", c.in(0).dtype());
  if (dtype_size(to) != dtype_size(c.in(0).dtype())) c.unsupported("it changes the shape");
  return {ops::bitcast(c.in(0), to)};
}

Tensors select(const TfCall& c) { return {where(c.in(0), c.in(1), c.in(2))}; }

Tensors bucketize(const TfCall& c) {
  const auto it = c.node().attributes.find("boundaries");
  Tensor count = ops::zeros(c.in(0).shape(), DType::int32);
  if (it == c.node().attributes.end()) return {count};
  for (const float boundary : it->second.numbers) {
    const Tensor reached = ops::greater_equal(ops::cast(c.in(0), DType::float32), boundary);
    count = ops::add(count, ops::cast(reached, DType::int32));
  }
  return {count};
}

}  // namespace

void add_tf_elementwise(TfOps& all) {
  for (const char* name : {"Identity", "StopGradient", "PreventGradient", "Snapshot",
                           "CheckNumerics", "EnsureShape", "PlaceholderWithDefault"}) {
    all[name] = first;
  }
  all.insert({{"Square", unary<ops::square>},
              {"Reciprocal", unary<ops::reciprocal>},
              {"Inv", unary<ops::reciprocal>},
              {"Rint", unary<ops::round>},
              {"IsInf", unary<ops::isinf>},
              {"IsNan", unary<ops::isnan>},
              {"Invert", unary<ops::bitwise_not>},
              {"Relu", unary<ops::relu>},
              {"Relu6", unary<ops::relu6>},
              {"Selu", unary<ops::selu>},
              {"Softsign", unary<ops::softsign>},
              {"ZerosLike", unary<ops::zeros_like>},
              {"OnesLike", unary<ops::ones_like>}});
  all.insert({{"Add", binary<ops::add>},
              {"MulNoNan", binary<multiply_no_nan>},
              {"DivNoNan", binary<ops::divide_no_nan>},
              {"FloorDiv", binary<ops::floor_divide>},
              {"FloorMod", binary<ops::mod>},
              {"TruncateDiv", binary<truncated_quotient>},
              {"TruncateMod", binary<truncated_remainder>},
              {"SquaredDifference", binary<ops::squared_difference>},
              {"BitwiseAnd", binary<ops::bitwise_and>},
              {"BitwiseOr", binary<ops::bitwise_or>},
              {"BitwiseXor", binary<ops::bitwise_xor>}});
  all.insert({{"BiasAdd", bias_add},
              {"AddN", add_n},
              {"Div", div},
              {"Elu", elu},
              {"LeakyRelu", leaky_relu},
              {"ClipByValue", clip},
              {"Cast", cast},
              {"Bitcast", bitcast},
              {"SelectV2", select},
              {"Select", select_rows},
              {"Bucketize", bucketize}});
  for (const OpNames& names : op_names()) {
    if (names.tensorflow == nullptr || !names.function) continue;
    all.try_emplace(names.tensorflow, [&names](const TfCall& c) -> Tensors {
      return {names.function([&](size_t i) { return c.in(i); })};
    });
  }
}

}  // namespace antler::saving
