#pragma once

#include <functional>

#include "antler/core/tensor.h"

namespace antler {

/// Result of jvp().
struct JvpResult {
  Tensors outputs;
  Tensors tangents;  ///< directional derivatives of the outputs
};
/// keras.ops.jvp: the value of a function at `primals`, and its derivative in the direction
/// `tangents`, which have the shapes of the primals. Computed with two reverse passes, so
/// `function` may use any ops. Throws ValueError unless there is one tangent per primal.
JvpResult jvp(const std::function<Tensors(const Tensors&)>& function, const Tensors& primals,
              const Tensors& tangents);

}  // namespace antler
