#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "antler/training/model.h"
#include "input/data_files.h"

namespace antler::cli {

/// Adds --augment, a list of Keras's random image layers, each with an optional number:
/// "flip,rotation=0.1,zoom=0.1".
void add_augment_option(CLI::App& command, std::vector<std::string>& augment);

/// How augmented() makes batches.
struct AugmentOptions {
  std::vector<std::string> steps;  ///< as in --augment
  int64_t batch_size = 32;
  bool shuffle = true;
};

/// Turns image samples into batches that the layers augment anew in each epoch. The layers do not
/// become part of the model, so its file, evaluation and predictions do not depend on them. Throws
/// ValueError for samples that are not images and for invalid steps.
Samples augmented(const Samples& samples, const Model& model, const AugmentOptions& options);

}  // namespace antler::cli
