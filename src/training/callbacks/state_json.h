#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

/// Exact values in JSON, for what a callback keeps across a restart.
namespace antler::training {

/// null where there is none; NaN and infinities as text.
Json to_json(const std::optional<double>& value);
std::optional<double> number_from_json(const Json& json);

/// {"dtype", "shape", "data"}: the bytes in base 64.
Json to_json(const Tensor& tensor);
Json to_json(const Tensors& tensors);
/// Throw ValueError for text that is no tensor.
Tensor tensor_from_json(const Json& json);
Tensors tensors_from_json(const Json& json);

}  // namespace antler::training
