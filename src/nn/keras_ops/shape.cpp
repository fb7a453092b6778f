// Operations of keras.ops that move elements, and products.
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

Nest run_concatenate(const OpArguments& a, const Json& config) {
  return ops::concatenate(a.at(0).flatten(), config.value("axis", 0));
}

Nest run_stack(const OpArguments& a, const Json& config) {
  return ops::stack(a.at(0).flatten(), config.value("axis", 0));
}

Nest run_reshape(const OpArguments& a, const Json& config) {
  return ops::reshape(operand(a), Shape(integer_list(config.at("newshape"))));
}

Nest run_transpose(const OpArguments& a, const Json& config) {
  return ops::transpose(operand(a), axes_of(config, "axes"));
}

Nest run_expand_dims(const OpArguments& a, const Json& config) {
  // The axes refer to the result, so they are inserted in ascending order.
  Tensor x = operand(a);
  std::vector<int64_t> axes = integer_list(config.at("axis"));
  const int64_t rank = x.rank() + static_cast<int64_t>(axes.size());
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) x = ops::expand_dims(x, axis);
  return x;
}

Nest run_squeeze(const OpArguments& a, const Json& config) {
  Tensor x = operand(a);
  if (option(config, "axis").is_null()) return ops::squeeze(x);
  std::vector<int64_t> axes = axes_of(config);
  for (int64_t& k : axes) k = k < 0 ? k + x.rank() : k;
  std::sort(axes.rbegin(), axes.rend());
  for (const int64_t k : axes) x = ops::squeeze(x, k);
  return x;
}

Nest run_flip(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  std::vector<int64_t> axes = axes_of(config);
  if (option(config, "axis").is_null()) {
    for (int64_t k = 0; k < x.rank(); ++k) axes.push_back(k);
  }
  return ops::reverse(x, axes);
}

Nest run_swapaxes(const OpArguments& a, const Json& config) {
  return ops::swapaxes(operand(a), config.at("axis1").get<int64_t>(),
                       config.at("axis2").get<int64_t>());
}

Nest run_moveaxis(const OpArguments& a, const Json& config) {
  const auto source = integer_list(config.at("source"));
  const auto destination = integer_list(config.at("destination"));
  if (source.size() != 1 || destination.size() != 1) {
    throw NotImplementedError("keras.ops.moveaxis of several axes at once is not supported.");
  }
  return ops::moveaxis(operand(a), source[0], destination[0]);
}

Nest run_broadcast_to(const OpArguments& a, const Json& config) {
  return ops::broadcast_to(operand(a), Shape(integer_list(config.at("shape"))));
}

Nest run_tile(const OpArguments& a, const Json& config) {
  return ops::tile(operand(a), integer_list(config.at("repeats")));
}

Nest run_repeat(const OpArguments& a, const Json& config) {
  const Along at = along(operand(a), option(config, "axis"));
  return ops::repeat(at.x, config.at("repeats").get<int64_t>(), at.axis);
}

Nest run_split(const OpArguments& a, const Json& config) {
  const Json& parts = config.at("indices_or_sections");
  const auto axis = config.value("axis", int64_t{0});
  if (parts.is_number_integer()) return ops::split(operand(a), parts.get<int64_t>(), axis);
  return ops::split(operand(a), integer_list(parts), axis);
}

Nest run_take(const OpArguments& a, const Json& config) {
  return ops::take(operand(a), operand(a, 1), optional_integer(config, "axis"));
}

Nest run_one_hot(const OpArguments& a, const Json& config) {
  return ops::cast(ops::one_hot(operand(a), config.at("num_classes").get<int64_t>(),
                                {.axis = config.value("axis", int64_t{-1})}),
                   optional_dtype(config).value_or(default_float()));
}

constexpr KerasOpEntry kShapeEntries[] = {
    {"Concatenate", run_concatenate},
    {"Stack", run_stack},
    {"Reshape", run_reshape},
    {"Transpose", run_transpose},
    {"ExpandDims", run_expand_dims},
    {"Squeeze", run_squeeze},
    {"Flip", run_flip},
    {"Matmul", binary<ops::matmul>},
    {"Swapaxes", run_swapaxes},
    {"Moveaxis", run_moveaxis},
    {"BroadcastTo", run_broadcast_to},
    {"Tile", run_tile},
    {"Repeat", run_repeat},
    {"Split", run_split},
    {"Take", run_take},
    {"OneHot", run_one_hot, "nn"},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> shape_keras_ops() { return keras_ops::kShapeEntries; }

}  // namespace antler
