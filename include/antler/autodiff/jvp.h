#pragma once

#include <functional>

#include "antler/core/tensor.h"

namespace antler {

struct JvpResult {
  Tensors outputs;
  Tensors tangents;  ///< how the outputs change: zeros where no primal influences them
};
/// The value of a function and its derivative in one direction (keras.ops.jvp): the change of each
/// output when the primals change by `tangents`, which have their shapes. Found by two gradients
/// backwards, so that any function of ops will do. Throws ValueError unless there is a tangent for
/// each primal.
JvpResult jvp(const std::function<Tensors(const Tensors&)>& function, const Tensors& primals,
              const Tensors& tangents);

}  // namespace antler
