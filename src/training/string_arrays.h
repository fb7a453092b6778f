#pragma once

#include "antler/core/nest.h"
#include "antler/data/fit_data.h"
#include "training/model_state.h"

namespace antler::training {

/// Throws ValueError for an array of strings where numbers are needed: in `x` if no input of the
/// model's graph takes strings, and in `y` if there is a loss.
void refuse_strings(const ModelState& state, const FitData& x, const Nest& y);

}  // namespace antler::training
