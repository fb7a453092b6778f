#pragma once

#include <cstdint>

namespace antler {

/// a / b rounded up; a >= 0, b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// x rounded up to a multiple of `to`.
constexpr int64_t round_up(int64_t x, int64_t to) { return ceil_div(x, to) * to; }

}  // namespace antler
