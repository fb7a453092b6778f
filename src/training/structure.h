#pragma once

#include <string>
#include <vector>

#include "antler/core/nest.h"

namespace antler::training {

/// Names of the outputs of a model that does not name them itself (subclasses), from the first
/// prediction: "output_1", "output_2", ... for a list, the keys in sorted order for a dictionary.
std::vector<std::string> pseudo_output_names(const Nest& y_pred);

/// One tensor per output: a single tensor for one output, a list by position, a dictionary by name.
/// Missing ones are undefined. Throws ValueError naming `what` where the structures do not fit.
Tensors align(const Nest& values, const std::vector<std::string>& output_names, const char* what);

/// Keras's matching of targets and weights to a prediction: rank 1 against rank 2 becomes (n, 1);
/// both float or both integer: cast to the prediction's dtype.
Tensor match_target(const Tensor& y_true, const Tensor& y_pred);
Tensor match_weight(const Tensor& weight, const Tensor& y_pred);

}  // namespace antler::training
