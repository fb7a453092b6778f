#pragma once

#include <cstdint>

#include "base/ceil_div.h"

namespace antler::runtime {

/// Rounds a number of elements of 4 bytes or more up to whole cache lines.
constexpr int64_t pad_to_cache_line(int64_t elements) { return round_up(elements, 16); }

}  // namespace antler::runtime
