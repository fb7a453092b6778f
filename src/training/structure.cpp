#include "training/structure.h"

#include <algorithm>
#include <map>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"

namespace antler::training {
namespace {

void add_names(const Nest& y_pred, const std::string& path, std::vector<std::string>& names) {
  const auto inside = [&](const std::string& part) {
    return path.empty() ? part : path + "_" + part;
  };
  if (y_pred.is_tensor()) {
    names.push_back(path);
  } else if (y_pred.is_list()) {
    for (size_t i = 0; i < y_pred.size(); ++i) {
      const std::string part = std::to_string(i + 1);
      add_names(y_pred[i], path.empty() ? "output_" + part : inside(part), names);
    }
  } else {
    std::map<std::string, const Nest*> sorted;
    for (const auto& [key, value] : y_pred.items()) sorted[key] = &value;
    for (const auto& [key, value] : sorted) add_names(*value, inside(key), names);
  }
}

[[noreturn]] void throw_nested(const char* what, const Nest& values,
                               const std::vector<std::string>& output_names) {
  throw ValueError("`{}` has the structure {}, which does not match the outputs: [{}].", what,
                   values.structure(), quoted(output_names));
}

}  // namespace

std::string quoted(const std::vector<std::string>& names) {
  return names.empty() ? "" : "'" + join(names, "', '") + "'";
}

std::vector<std::string> pseudo_output_names(const Nest& y_pred) {
  if (y_pred.is_tensor()) return {"output_1"};
  std::vector<std::string> names;
  add_names(y_pred, "", names);
  return names;
}

size_t output_index(const std::string& name, const std::vector<std::string>& output_names,
                    const char* what) {
  const auto it = std::find(output_names.begin(), output_names.end(), name);
  if (it == output_names.end()) {
    throw ValueError("Unknown output name '{}' in `{}`. Expected names of outputs: [{}].", name,
                     what, quoted(output_names));
  }
  return static_cast<size_t>(it - output_names.begin());
}

Tensors align(const Nest& values, const std::vector<std::string>& output_names, const Nest& y_pred,
              const char* what) {
  Tensors result(output_names.size());
  if (values.is_none()) return result;
  if (values.structure() == y_pred.structure()) return values.flatten();
  if (values.is_tensor()) {
    if (output_names.size() > 1) {
      throw ValueError(
          "The model has {} outputs [{}], but `{}` is a single array. Expected a list with one "
          "array per output, or a dictionary by output name.",
          output_names.size(), quoted(output_names), what);
    }
    result[0] = values.tensor();
    return result;
  }
  if (values.is_list() && values.size() != output_names.size()) {
    throw ValueError("`{}` has {} entries, but the model has {} outputs: [{}].", what,
                     values.size(), output_names.size(), quoted(output_names));
  }
  size_t position = 0;
  for (const auto& [key, value] : values.items()) {
    if (!value.is_tensor()) throw_nested(what, values, output_names);
    result[values.is_list() ? position++ : output_index(key, output_names, what)] = value.tensor();
  }
  return result;
}

Tensors align_weights(const Nest& values, const std::vector<std::string>& output_names,
                      const Nest& y_pred) {
  if (values.is_tensor()) return Tensors(output_names.size(), values.tensor());
  return align(values, output_names, y_pred, "sample_weight");
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
