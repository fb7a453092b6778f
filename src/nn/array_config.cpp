#include "nn/array_config.h"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"

namespace antler {
namespace {

/// Appends the numbers of nested lists. The first list of each depth gives the size of the others.
void append_numbers(const Json& value, size_t depth, std::vector<int64_t>& sizes,
                    std::vector<double>& numbers) {
  if (value.is_array()) {
    const auto size = static_cast<int64_t>(value.size());
    if (sizes.size() == depth && numbers.empty()) sizes.push_back(size);
    if (depth < sizes.size() && sizes[depth] == size) {
      for (const Json& item : value) append_numbers(item, depth + 1, sizes, numbers);
      return;
    }
  } else if (depth == sizes.size() && (value.is_number() || value.is_boolean())) {
    numbers.push_back(value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>());
    return;
  }
  throw ValueError(
      "Expected an array of numbers in a configuration: lists of one length per axis. Received: {}",
      value.dump());
}

Json nested(const std::vector<double>& values, const Shape& shape, int axis, size_t at) {
  if (axis == shape.rank()) return values[at];
  size_t stride = 1;
  for (int d = axis + 1; d < shape.rank(); ++d) stride *= static_cast<size_t>(shape[d]);
  Json list = Json::array();
  for (int64_t i = 0; i < shape[axis]; ++i)
    list.push_back(nested(values, shape, axis + 1, at + static_cast<size_t>(i) * stride));
  return list;
}

}  // namespace

bool is_array_config(const Json& json) {
  if (!json.is_object() || !json.contains("config") || !json["config"].is_object()) return false;
  const Json kind = json.value("class_name", Json());
  return (kind == "__tensor__" || kind == "__numpy__") && json["config"].contains("value");
}

Tensor array_from_lists(const Json& json) {
  std::vector<int64_t> sizes;
  std::vector<double> numbers;
  append_numbers(json, 0, sizes, numbers);
  return Tensor::of(numbers, Shape(sizes));
}

Tensor array_from_config(const Json& json) {
  const Json& config = json.at("config");
  const Tensor values = array_from_lists(config.at("value"));
  const Json name = config.value("dtype", Json());
  if (!name.is_string())
    throw ValueError("An array in a configuration has no dtype. Received: {}", config.dump());
  const DType dtype = parse_dtype(name.get<std::string>());
  return dtype == DType::float64 ? values : ops::cast(values, dtype);
}

Json array_to_config(const Tensor& array) {
  return {{"class_name", "__numpy__"},
          {"config",
           {{"value", nested(array.to_doubles(), array.shape(), 0, 0)},
            {"dtype", dtype_name(array.dtype())}}}};
}

}  // namespace antler
