#pragma once

#include "antler/core/nest.h"
#include "antler/data/fit_data.h"
#include "training/model_state.h"

namespace antler::training {

/// Throws ValueError for arrays of strings that would be taken for numbers: as inputs of a graph
/// all of whose inputs are numbers, and as targets of a loss.
void refuse_strings(const ModelState& state, const FitData& x, const Nest& y);

}  // namespace antler::training
