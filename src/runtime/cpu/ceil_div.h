#pragma once

#include <cstdint>

namespace antler::runtime {

/// a / b rounded up, for numbers that are not negative.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The next multiple of `to`.
constexpr int64_t round_up(int64_t x, int64_t to) { return ceil_div(x, to) * to; }
/// Elements such that what lies behind them begins a line of the cache, if they did.
constexpr int64_t whole_lines(int64_t elements) { return round_up(elements, 16); }

}  // namespace antler::runtime
