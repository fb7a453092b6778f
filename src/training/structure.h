#pragma once

#include <string>
#include <vector>

#include "antler/core/nest.h"

namespace antler::training {

/// "'a', 'b'"
std::string quoted(const std::vector<std::string>& names);

/// Output names for a subclassed model, from the structure of a prediction: "output_1", "output_2",
/// ... for a list; the sorted keys for a dictionary; paths joined with "_" for nested structures.
std::vector<std::string> pseudo_output_names(const Nest& y_pred);

/// The index of an output name. `what` is the argument's name for the ValueError that is thrown if
/// there is no such output.
size_t output_index(const std::string& name, const std::vector<std::string>& output_names,
                    const char* what);

/// One tensor per output, i.e. leaf of `y_pred`. `values` has the same structure, or is a single
/// tensor for one output, a list by position or a dictionary by name; missing ones are undefined.
/// Throws ValueError, naming the argument `what`, if the structures do not match.
Tensors align(const Nest& values, const std::vector<std::string>& output_names, const Nest& y_pred,
              const char* what);
/// The same, but a single tensor applies to every output.
Tensors align_weights(const Nest& values, const std::vector<std::string>& output_names,
                      const Nest& y_pred);

/// Converts targets and weights to match a prediction, as Keras does: rank 1 becomes (n, 1) if the
/// prediction has rank 2; targets are cast if both are floating-point or both integer.
Tensor match_target(const Tensor& y_true, const Tensor& y_pred);
Tensor match_weight(const Tensor& weight, const Tensor& y_pred);

}  // namespace antler::training
