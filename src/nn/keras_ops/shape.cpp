// Operations of keras.ops that move elements, and products.
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/ops.h"
#include "nn/keras_op.h"

namespace antler {
namespace {

/// {"class_name": "__tuple__", "items": [...]} or the list itself.
const Json& items_of(const Json& value) {
  return value.is_object() && value.contains("items") ? value["items"] : value;
}

std::vector<int64_t> integers(const Json& value) {
  if (value.is_number_integer()) return {value.get<int64_t>()};
  std::vector<int64_t> result;
  for (const Json& item : items_of(value)) {
    result.push_back(item.is_null() ? Shape::kUnknown : item.get<int64_t>());
  }
  return result;
}

const Tensor& first(const OpArguments& arguments) {
  if (arguments.empty()) throw ValueError("An operation of keras.ops has no arguments.");
  return arguments[0].tensor();
}

Nest run_concatenate(const OpArguments& a, const Json& config) {
  return ops::concatenate(a.at(0).flatten(), config.value("axis", 0));
}

Nest run_stack(const OpArguments& a, const Json& config) {
  return ops::stack(a.at(0).flatten(), config.value("axis", 0));
}

Nest run_reshape(const OpArguments& a, const Json& config) {
  return ops::reshape(first(a), Shape(integers(config.at("newshape"))));
}

Nest run_transpose(const OpArguments& a, const Json& config) {
  const Json axes = config.value("axes", Json(nullptr));
  return ops::transpose(first(a), axes.is_null() ? std::vector<int64_t>() : integers(axes));
}

Nest run_expand_dims(const OpArguments& a, const Json& config) {
  // Several axes count in the result, so they are inserted in its order.
  Tensor x = first(a);
  std::vector<int64_t> axes = integers(config.at("axis"));
  const int64_t rank = x.rank() + static_cast<int64_t>(axes.size());
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) x = ops::expand_dims(x, axis);
  return x;
}

Nest run_squeeze(const OpArguments& a, const Json& config) {
  const Json axis = config.value("axis", Json(nullptr));
  if (axis.is_null()) return ops::squeeze(first(a));
  Tensor x = first(a);
  std::vector<int64_t> axes = integers(axis);
  for (int64_t& k : axes) k = k < 0 ? k + x.rank() : k;
  std::sort(axes.rbegin(), axes.rend());
  for (const int64_t k : axes) x = ops::squeeze(x, k);
  return x;
}

Nest run_flip(const OpArguments& a, const Json& config) {
  const Json axis = config.value("axis", Json(nullptr));
  std::vector<int64_t> axes;
  if (axis.is_null()) {
    for (int64_t k = 0; k < first(a).rank(); ++k) axes.push_back(k);
  } else {
    axes = integers(axis);
  }
  return ops::reverse(first(a), axes);
}

Nest run_matmul(const OpArguments& a, const Json&) {
  return ops::matmul(first(a), a.at(1).tensor());
}

Nest run_swapaxes(const OpArguments& a, const Json& config) {
  return ops::swapaxes(first(a), config.at("axis1").get<int64_t>(),
                       config.at("axis2").get<int64_t>());
}

Nest run_moveaxis(const OpArguments& a, const Json& config) {
  const auto source = integers(config.at("source"));
  const auto destination = integers(config.at("destination"));
  if (source.size() != 1 || destination.size() != 1) {
    throw NotImplementedError("keras.ops.moveaxis of several axes at once is not supported.");
  }
  return ops::moveaxis(first(a), source[0], destination[0]);
}

Nest run_broadcast_to(const OpArguments& a, const Json& config) {
  return ops::broadcast_to(first(a), Shape(integers(config.at("shape"))));
}

Nest run_tile(const OpArguments& a, const Json& config) {
  return ops::tile(first(a), integers(config.at("repeats")));
}

Nest run_repeat(const OpArguments& a, const Json& config) {
  const Json axis = config.value("axis", Json(nullptr));
  const int64_t count = config.at("repeats").get<int64_t>();
  if (axis.is_null()) return ops::repeat(ops::reshape(first(a), {-1}), count, 0);
  return ops::repeat(first(a), count, axis.get<int64_t>());
}

Nest run_split(const OpArguments& a, const Json& config) {
  const Json& parts = config.at("indices_or_sections");
  const auto axis = config.value("axis", int64_t{0});
  if (parts.is_number_integer()) return ops::split(first(a), parts.get<int64_t>(), axis);
  Tensors pieces;
  int64_t start = 0;
  std::vector<int64_t> limits = integers(parts);
  limits.push_back(first(a).dim(static_cast<int>(axis)));
  for (const int64_t limit : limits) {
    pieces.push_back(ops::slice_axis(first(a), axis, start, limit));
    start = limit;
  }
  return pieces;
}

Nest run_take(const OpArguments& a, const Json& config) {
  const Json axis = config.value("axis", Json(nullptr));
  const Tensor& indices = a.at(1).tensor();
  if (axis.is_null()) return ops::take(ops::reshape(first(a), {-1}), indices, 0);
  return ops::take(first(a), indices, axis.get<int64_t>());
}

Nest run_one_hot(const OpArguments& a, const Json& config) {
  return ops::cast(ops::one_hot(first(a), config.at("num_classes").get<int64_t>(),
                                config.value("axis", int64_t{-1})),
                   parse_dtype(config.value("dtype", std::string("float32"))));
}

constexpr KerasOpEntry kShapeEntries[] = {
    {"Concatenate", run_concatenate},
    {"Stack", run_stack},
    {"Reshape", run_reshape},
    {"Transpose", run_transpose},
    {"ExpandDims", run_expand_dims},
    {"Squeeze", run_squeeze},
    {"Flip", run_flip},
    {"Matmul", run_matmul},
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

std::span<const KerasOpEntry> shape_keras_ops() { return kShapeEntries; }

}  // namespace antler
