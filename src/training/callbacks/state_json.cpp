#include "training/callbacks/state_json.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "antler/base/error.h"
#include "base/base64.h"
#include "training/callbacks/python_format.h"

namespace antler::training {
namespace {

/// Stores decoded bytes in a tensor.
void decode(const std::string& text, const Tensor& tensor) {
  const std::optional<std::string> bytes = decode_base64(text);
  if (!bytes) throw ValueError("The data of a saved tensor are not in base 64.");
  if (bytes->size() != tensor.bytes()) {
    throw ValueError("The data of a saved tensor have {} bytes, but its shape needs {}.",
                     bytes->size(), tensor.bytes());
  }
  if (!bytes->empty()) std::memcpy(tensor.mutable_data(), bytes->data(), bytes->size());
}

}  // namespace

Json to_json(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (!std::isfinite(*value)) return python_repr(*value);
  return *value;
}

std::optional<double> number_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "-inf" ? -infinity : infinity;
}

Json to_json(const Tensor& tensor) {
  return {{"dtype", dtype_name(tensor.dtype())},
          {"shape", tensor.shape().dims()},
          {"data", encode_base64({static_cast<const char*>(tensor.data()), tensor.bytes()})}};
}

Json to_json(const Tensors& tensors) {
  Json list = Json::array();
  for (const Tensor& tensor : tensors) list.push_back(to_json(tensor));
  return list;
}

Tensor tensor_from_json(const Json& json) {
  try {
    const Tensor tensor = Tensor::empty(parse_dtype(json.at("dtype").get<std::string>()),
                                        Shape(json.at("shape").get<std::vector<int64_t>>()));
    decode(json.at("data").get<std::string>(), tensor);
    return tensor;
  } catch (const Json::exception& error) {
    throw ValueError("Not a saved tensor: {}", error.what());
  }
}

Tensors tensors_from_json(const Json& json) {
  Tensors tensors;
  for (const Json& item : json) tensors.push_back(tensor_from_json(item));
  return tensors;
}

}  // namespace antler::training
