#pragma once

#include <cstdint>
#include <string>

#include "antler/training/model.h"

namespace antler {

/// Options of export_stablehlo().
struct ExportStableHloOptions {
  int64_t batch_size = 1;  ///< the only batch size that the exported model accepts
};

/// Writes the computation of predict() to `path`, as a StableHLO module in MLIR's text form. Its
/// function `main` maps the model's inputs, in the order of `model.inputs()`, to its outputs; the
/// weights are constants. JAX can compile it. Throws ValueError if the model is not built or its
/// input shapes are not known, and a NotImplementedError that names the op for ops that StableHLO
/// does not have (strings, C++ functions).

void export_stablehlo(const Model& model, const std::string& path,
                      const ExportStableHloOptions& options = {});

}  // namespace antler
