#pragma once

#include <cstdint>

#include "pjrt/lowering/emitter.h"

namespace antler::pjrt {

/// The identity element of a reduction.
enum class Identity : uint8_t { zero, one, lowest, highest };

inline Value identity_value(Emitter& emit, Identity identity, const Type& type) {
  if (identity == Identity::zero || identity == Identity::one)
    return emit.fill(identity == Identity::one ? 1 : 0, type);
  return emit.extreme(identity == Identity::highest, type);
}

}  // namespace antler::pjrt
