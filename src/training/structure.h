#pragma once

#include <string>
#include <vector>

#include "antler/core/nest.h"

namespace antler::training {

/// Names of the outputs of a model that does not name them itself (subclasses), from the first
/// prediction: "output_1", "output_2", ... for a list; the keys, sorted, for a dictionary; deeper
/// inside, the parts of the path joined by "_", counted from 1.
std::vector<std::string> pseudo_output_names(const Nest& y_pred);

/// Position of an output's name. Throws ValueError that lists the names; `what` is the argument.
size_t output_index(const std::string& name, const std::vector<std::string>& output_names,
                    const char* what);

/// One tensor per output (leaf of `y_pred`): from the same structure leaf by leaf; a single tensor
/// for one output, a list by position, a dictionary by name. Missing ones are undefined. Throws
/// ValueError naming `what` where the structures do not fit.
Tensors align(const Nest& values, const std::vector<std::string>& output_names, const Nest& y_pred,
              const char* what);
/// The same, but a single tensor goes to every output.
Tensors align_weights(const Nest& values, const std::vector<std::string>& output_names,
                      const Nest& y_pred);

/// Keras's matching of targets and weights to a prediction: rank 1 against rank 2 becomes (n, 1);
/// both float or both integer: cast to the prediction's dtype.
Tensor match_target(const Tensor& y_true, const Tensor& y_pred);
Tensor match_weight(const Tensor& weight, const Tensor& y_pred);

}  // namespace antler::training
