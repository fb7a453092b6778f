#pragma once

#include "ops/families.h"

namespace antler::ops {

/// The ops of hash.cpp.
OpSpan hash_ops();

}  // namespace antler::ops
