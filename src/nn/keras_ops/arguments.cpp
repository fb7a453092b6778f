#include "nn/keras_ops/arguments.h"

#include "antler/base/error.h"
#include "antler/core/shape.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::keras_ops {
namespace {

/// The tensor. Lists of tensors are stacked, because Keras converts lists of numbers to tensors.
Tensor converted(const Nest& argument) {
  if (!argument.is_list() || argument.items().empty()) return argument.tensor();
  Tensors parts;
  for (const auto& [key, item] : argument.items()) parts.push_back(converted(item));
  return ops::stack(parts);
}

}  // namespace

Tensor operand(const OpArguments& arguments, size_t index) {
  if (index >= arguments.size()) {
    throw ValueError("An operation of keras.ops has {} argument(s), expected more.",
                     arguments.size());
  }
  return converted(arguments[index]);
}

Tensors operands(const OpArguments& arguments) {
  Tensors list;
  for (const Nest& x : arguments) list.push_back(x.tensor());
  return list;
}

Tensor optional_operand(const OpArguments& arguments, size_t index) {
  return index < arguments.size() ? arguments[index].tensor() : Tensor();
}

int64_t integer_argument(const OpArguments& arguments, size_t index) {
  return static_cast<int64_t>(operand(arguments, index).item());
}

Json option(const Json& config, const char* key) { return config.value(key, Json(nullptr)); }

std::vector<int64_t> integer_list(const Json& value) {
  if (value.is_number_integer()) return {value.get<int64_t>()};
  std::vector<int64_t> result;
  for (const Json& item : value.is_object() && value.contains("items") ? value["items"] : value) {
    result.push_back(item.is_null() ? Shape::kUnknown : item.get<int64_t>());
  }
  return result;
}

std::vector<int64_t> axes_of(const Json& config, const char* key) {
  const Json axis = option(config, key);
  return axis.is_null() ? std::vector<int64_t>() : integer_list(axis);
}

std::optional<int64_t> optional_integer(const Json& config, const char* key) {
  const Json value = option(config, key);
  if (value.is_null()) return {};
  return value.get<int64_t>();
}

std::optional<double> optional_number(const Json& config, const char* key) {
  const Json value = option(config, key);
  if (value.is_null()) return {};
  return value.get<double>();
}

std::optional<DType> optional_dtype(const Json& config) {
  const Json dtype = option(config, "dtype");
  if (dtype.is_null()) return {};
  return parse_dtype(dtype.get<std::string>());
}

ops::ReduceOptions reduce_options_of(const Json& config) {
  return {.keepdims = config.value("keepdims", false)};
}

Along along(const Tensor& x, const Json& axis) {
  if (axis.is_null()) return {ops::reshape(x, {-1}), 0};
  return {x, normalize_axis(axis.get<int64_t>(), x.rank(), "axis")};
}

}  // namespace antler::keras_ops
