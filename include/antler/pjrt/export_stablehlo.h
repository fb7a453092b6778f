#pragma once

#include <cstdint>
#include <string>

#include "antler/training/model.h"

namespace antler {

/// Options of export_stablehlo().
struct ExportStableHloOptions {
  int64_t batch_size = 1;  ///< the only one that the exported model accepts
};

/// Writes what predict() computes to `path`, as a StableHLO module in MLIR's text form. Its
/// function
/// `main` maps the model's inputs, in the order of `model.inputs()`, to its outputs; the weights
/// are constants. JAX compiles it. Throws ValueError for a model that is not built or whose input
/// shapes are not known, and NotImplementedError, naming the op, for one that StableHLO does not
/// have (strings, C++ functions).
void export_stablehlo(const Model& model, const std::string& path,
                      const ExportStableHloOptions& options = {});

}  // namespace antler
