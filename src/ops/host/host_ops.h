#pragma once

#include "ops/families.h"

namespace antler::ops {

/// The ops of host_map.cpp.
OpSpan host_ops();

}  // namespace antler::ops
