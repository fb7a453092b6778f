#pragma once

#include <cstddef>
#include <cstdint>

namespace antler::data {

/// Copies rows `rows[0..count)` of `row_bytes` bytes each from `from`, one behind the other, to
/// `to`.
void gather_rows(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                 int64_t count);

}  // namespace antler::data
