#pragma once

#include <string>

#include "antler/training/fit_options.h"
#include "antler/training/model.h"
#include "input/data_files.h"

namespace antler::cli {

/// Prints what fit() would do with these arguments, without training: the number of steps, the
/// memory of a step, and the files to be written. Compiles the training step, so a loss that does
/// not fit the data throws here as it does in fit(). `json`: prints one line of JSON.
void print_dry_run(Model& model, const Samples& samples, const FitOptions& options,
                   int64_t batch_size, const std::string& out, bool json);

}  // namespace antler::cli
