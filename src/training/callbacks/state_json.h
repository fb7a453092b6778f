#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

/// Exact values in JSON, for the state of callbacks.
namespace antler::training {

/// null if there is no value; NaN and infinities are strings.
Json to_json(const std::optional<double>& value);
std::optional<double> number_from_json(const Json& json);

/// {"dtype", "shape", "data"}: the bytes in base 64.
Json to_json(const Tensor& tensor);
Json to_json(const Tensors& tensors);
/// Throw ValueError for anything else.
Tensor tensor_from_json(const Json& json);
Tensors tensors_from_json(const Json& json);

}  // namespace antler::training
