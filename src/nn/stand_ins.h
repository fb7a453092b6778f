#pragma once

#include "antler/core/shape.h"

namespace antler {

/// A shape for `build`. In an abstract call (abstract_call()) known sizes stand in for unknown
/// dimensions; here they become unknown again. The last dimension, on which the shapes of weights
/// depend, is kept.
Shape without_stand_ins(Shape shape);

}  // namespace antler
