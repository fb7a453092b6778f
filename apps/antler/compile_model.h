#pragma once

#include <string>
#include <vector>

#include "antler/training/model.h"
#include "data_files.h"

namespace antler::cli {

/// What the user said about training; empty where nothing was said.
struct CompileSettings {
  std::string loss;
  std::string optimizer;  ///< "name" or "name:option=value,..."
  std::vector<std::string> metrics;
  std::vector<std::string> freeze;    ///< names of layers, or "all"
  std::vector<std::string> unfreeze;  ///< likewise; after `freeze`
};

/// Freezes and unfreezes layers, also those inside of models. Call before compile_model(). Throws
/// ValueError for a name that no layer has.
void set_trainable_layers(Model& model, const CompileSettings& said);

/// Compiles a model: what the user said goes over what the file has. Throws ValueError where
/// neither names a loss; the message has one that fits the data.
void compile_model(Model& model, const CompileSettings& said, const LoadedData& data);

}  // namespace antler::cli
