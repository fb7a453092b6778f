#pragma once

#include <string>

#include "input/data_files.h"

namespace antler::cli {

/// How to read DATA for a model: with the data plan beside the model's file, the image size of the
/// model's input and the kind of labels that its loss needs. `loss` overrides the model's loss.
DataOptions data_options_for(const Model& model, const std::string& model_path,
                             const std::string& loss = "");

}  // namespace antler::cli
