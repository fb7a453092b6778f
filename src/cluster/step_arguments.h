#pragma once

#include <string>
#include <vector>

#include <training.pb.h>

#include "antler/core/tensor.h"

namespace antler::cluster {

class DatasetHost;

/// Elements that the program does not expect. They remain the next ones of their iterators.
struct UnexpectedElements {
  std::vector<NextElement> elements;
};

/// The arguments of a step: the next elements of the closure's iterators, and the bytes of the
/// others. Throws UnexpectedElements, ValueError if the bytes do not fit `specs`, and what
/// DatasetHost::next() throws.
Tensors step_arguments(DatasetHost& datasets, const Closure& closure, const std::string& bytes,
                       const std::vector<TensorSpec>& specs);

}  // namespace antler::cluster
