#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/ops/axes.h"
#include "nn/keras_op.h"

/// How the operations of keras.ops read their arguments and configurations.
namespace antler::keras_ops {

/// Argument `index`: a tensor, or lists of tensors (stacked). Throws ValueError if missing.
Tensor operand(const OpArguments& arguments, size_t index = 0);
/// All arguments, which must be tensors.
Tensors operands(const OpArguments& arguments);
/// Argument `index`; undefined if it is not given.
Tensor optional_operand(const OpArguments& arguments, size_t index);
/// An integer argument whose value is known.
int64_t integer_argument(const OpArguments& arguments, size_t index);

/// config[key], or null if it is missing.
Json option(const Json& config, const char* key);
/// The integers of a number, a list, or {"class_name": "__tuple__", "items": [...]}; null means an
/// unknown size.
std::vector<int64_t> integer_list(const Json& value);
/// "axis" as a list: empty for null.
std::vector<int64_t> axes_of(const Json& config, const char* key = "axis");
std::optional<int64_t> optional_integer(const Json& config, const char* key);
std::optional<double> optional_number(const Json& config, const char* key);
std::optional<DType> optional_dtype(const Json& config);
ops::ReduceOptions reduce_options_of(const Json& config);

/// A tensor and one of its axes. A null axis selects the flattened tensor.
struct Along {
  Tensor x;
  int64_t axis = 0;
};
Along along(const Tensor& x, const Json& axis);

template <Tensor (*op)(const Tensor&)>
Nest unary(const OpArguments& a, const Json&) {
  return op(operand(a));
}
template <Tensor (*op)(const Tensor&, const Tensor&)>
Nest binary(const OpArguments& a, const Json&) {
  return op(operand(a), operand(a, 1));
}
/// A reduction to indices, along the axis of the configuration or over all elements.
template <Tensor (*op)(const Tensor&, std::optional<int64_t>, ops::ReduceOptions)>
Nest index_reduction(const OpArguments& a, const Json& config) {
  return op(operand(a), optional_integer(config, "axis"), reduce_options_of(config));
}
/// An operation on diagonal `k` of matrices.
template <Tensor (*op)(const Tensor&, int64_t)>
Nest on_diagonal(const OpArguments& a, const Json& config) {
  return op(operand(a), config.value("k", int64_t{0}));
}
/// A reduction over the axes of the configuration.
template <Tensor (*op)(const Tensor&, const ops::Axes&, ops::ReduceOptions)>
Nest reduction(const OpArguments& a, const Json& config) {
  return op(operand(a), axes_of(config), reduce_options_of(config));
}

}  // namespace antler::keras_ops
