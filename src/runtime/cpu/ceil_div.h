#pragma once

#include <cstdint>

namespace antler::runtime {

/// a / b rounded up, for numbers that are not negative.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace antler::runtime
