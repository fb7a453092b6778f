#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/training/model.h"
#include "input/data_files.h"

namespace antler::cli {

/// The command line options about compilation; empty if not given.
struct CompileSettings {
  std::string loss;
  std::string optimizer;  ///< "name" or "name:option=value,..."
  std::optional<double> learning_rate;
  std::vector<std::string> metrics;
  std::vector<std::string> freeze;    ///< names of layers, or "all"
  std::vector<std::string> unfreeze;  ///< applied after `freeze`
};

/// Freezes and unfreezes layers, including those of nested models. Call before compile_model().
/// Throws ValueError for an unknown layer.
void set_trainable_layers(Model& model, const CompileSettings& settings);

/// Compiles a model. Settings override the compile arguments in the file. Throws ValueError if
/// neither has a loss; the message suggests one for the data.
void compile_model(Model& model, const CompileSettings& settings, const LoadedData& data);

}  // namespace antler::cli
