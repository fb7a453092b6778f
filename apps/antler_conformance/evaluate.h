#pragma once

#include <functional>

#include "antler/core/nest.h"

namespace antler::conformance {

using NestFunction = std::function<Nest(const Nest&)>;

/// `f` as a compiled function if functions run on a device (--device), so that the device computes
/// it; otherwise `f` itself, which is eager. Arguments may be undefined.
NestFunction evaluated(NestFunction f);

}  // namespace antler::conformance
