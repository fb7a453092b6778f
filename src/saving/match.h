#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/core/variable.h"
#include "antler/nn/optimizer.h"

namespace antler::saving {

/// What is to be stored, once everything was found to fit.
using Changes = std::vector<std::pair<Variable, Tensor>>;

/// Pairs variables with arrays of a file, in order; arrays are converted to the variables' dtypes.
/// Throws ValueError, which begins with `what`, where counts or shapes do not match.
Changes match(const std::string& what, const Variables& own, const Tensors& arrays);
/// The same for those that fit; a warning says which keep their values.
Changes match_some(const std::string& what, const Variables& own, const Tensors& arrays);
void store(const Changes& changes);

/// Sets the state of an optimizer that is built. Where it does not fit, it stays, with a warning.
void load_optimizer_state(Optimizer& optimizer, const Tensors& arrays);

}  // namespace antler::saving
