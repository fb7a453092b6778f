#include "training/structure.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"

namespace antler::training {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return "[" + text + "]";
}

}  // namespace

std::vector<std::string> pseudo_output_names(const Nest& y_pred) {
  std::vector<std::string> names;
  if (y_pred.is_dict()) {
    for (const auto& [key, value] : y_pred.items()) names.push_back(key);
    std::sort(names.begin(), names.end());
    return names;
  }
  const size_t count = y_pred.is_list() ? y_pred.size() : 1;
  for (size_t i = 0; i < count; ++i) names.push_back("output_" + std::to_string(i + 1));
  return names;
}

Tensors align(const Nest& values, const std::vector<std::string>& output_names, const char* what) {
  Tensors result(output_names.size());
  if (values.is_none()) return result;
  if (values.is_tensor()) {
    if (output_names.size() > 1) {
      throw ValueError(std::string("The model has ") + std::to_string(output_names.size()) +
                       " outputs " + joined(output_names) + ", but `" + what +
                       "` is a single array. Expected a list with one array per output, or a "
                       "dictionary by output name.");
    }
    result[0] = values.tensor();
    return result;
  }
  if (values.is_list()) {
    if (values.size() != output_names.size()) {
      throw ValueError(std::string("`") + what + "` has " + std::to_string(values.size()) +
                       " entries, but the model has " + std::to_string(output_names.size()) +
                       " outputs: " + joined(output_names) + ".");
    }
    for (size_t i = 0; i < values.size(); ++i) result[i] = values[i].tensor();
    return result;
  }
  for (const auto& [key, value] : values.items()) {
    const auto it = std::find(output_names.begin(), output_names.end(), key);
    if (it == output_names.end()) {
      throw ValueError(std::string("Unknown key '") + key + "' in `" + what +
                       "`. Expected names of outputs: " + joined(output_names) + ".");
    }
    result[static_cast<size_t>(it - output_names.begin())] = value.tensor();
  }
  return result;
}

Tensor match_target(const Tensor& y_true, const Tensor& y_pred) {
  Tensor result = y_true;
  if (result.rank() == 1 && y_pred.rank() == 2) result = ops::expand_dims(result, -1);
  const bool both_float = is_floating(result.dtype()) && is_floating(y_pred.dtype());
  const bool both_integer = is_integer(result.dtype()) && is_integer(y_pred.dtype());
  return both_float || both_integer ? ops::cast(result, y_pred.dtype()) : result;
}

Tensor match_weight(const Tensor& weight, const Tensor& y_pred) {
  if (!weight.defined()) return weight;
  const Tensor result =
      weight.rank() == 1 && y_pred.rank() == 2 ? ops::expand_dims(weight, -1) : weight;
  return ops::cast(result, y_pred.dtype());
}

}  // namespace antler::training
