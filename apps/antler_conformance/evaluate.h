#pragma once

#include <functional>

#include "antler/core/nest.h"

namespace antler::conformance {

/// f(arguments): as a compiled function if functions run on a device (--device), so that the device
/// computes it; eagerly otherwise. Arguments may be undefined.
Nest evaluate(const std::function<Nest(const Nest&)>& f, const Nest& arguments);

}  // namespace antler::conformance
