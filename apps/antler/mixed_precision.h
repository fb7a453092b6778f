#pragma once

#include <string>

#include "antler/training/model.h"

namespace antler::cli {

/// The same model, weights and compile arguments under another dtype policy ("mixed_bfloat16"); the
/// layers that give the outputs keep theirs, as losses want float32.
Model with_dtype_policy(const Model& model, const std::string& policy);

}  // namespace antler::cli
