#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/core/variable.h"
#include "antler/nn/optimizer.h"

namespace antler::saving {

/// Assignments to be made once everything is known to match.
using Changes = std::vector<std::pair<Variable, Tensor>>;

/// Pairs variables with arrays of a file, in order, and converts the arrays to the variables'
/// dtypes. Throws a ValueError that begins with `what` if counts or shapes do not match.
Changes match(const std::string& what, const Variables& own, const Tensors& arrays);
/// The same, but skips variables whose arrays do not match, with a warning.
Changes match_some(const std::string& what, const Variables& own, const Tensors& arrays);
void store(const Changes& changes);

/// Sets the state of a built optimizer. If it does not match, warns and leaves it unchanged.
void load_optimizer_state(Optimizer& optimizer, const Tensors& arrays);

}  // namespace antler::saving
