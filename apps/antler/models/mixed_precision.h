#pragma once

#include <string>

#include "antler/training/model.h"

namespace antler::cli {

/// The model with another dtype policy ("mixed_bfloat16"), with the same weights and compile
/// arguments. The output layers keep their policy, because losses need float32.
Model with_dtype_policy(const Model& model, const std::string& policy);

}  // namespace antler::cli
