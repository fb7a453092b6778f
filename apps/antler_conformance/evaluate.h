#pragma once

#include <functional>

#include "antler/core/nest.h"

namespace antler::conformance {

using NestFunction = std::function<Nest(const Nest&)>;

/// With --device, `f` as a compiled function, so that the device computes it; otherwise `f` itself,
/// which runs eagerly. Arguments may be undefined.
NestFunction evaluated(NestFunction f);

}  // namespace antler::conformance
