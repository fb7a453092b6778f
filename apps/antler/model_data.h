#pragma once

#include <string>

#include "data_files.h"

namespace antler::cli {

/// How DATA is to be read for a model: as the plan beside its file says, images in the size of its
/// input, labels in the form of its loss (`loss`: the one that will replace the model's own).
DataOptions data_options_for(const Model& model, const std::string& model_path,
                             const std::string& loss = "");

}  // namespace antler::cli
