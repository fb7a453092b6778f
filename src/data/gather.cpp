#include "data/gather.h"

#include <algorithm>
#include <cstring>

#include "antler/base/parallel.h"

namespace antler::data {
namespace {

/// For rows up to this size, inline copies are faster than a call of memcpy per row.
constexpr size_t kInlineBytes = 256;
/// Rows are in random order, so the next ones are prefetched while one is copied.
constexpr int64_t kPrefetchRows = 2;
constexpr size_t kPrefetchBytes = 512;
constexpr size_t kCacheLine = 64;
/// From this size on, several threads are faster: rows come from memory, not from a cache.
constexpr size_t kParallelBytes = 64 << 10;
/// Shorter rows are never divided: a part of a row should be long enough for the hardware
/// prefetcher.
constexpr size_t kWideRow = 1024;

/// Rows of a size known at compile time.
template <size_t kBytes>
void gather_fixed(std::byte* to, const std::byte* from, const int64_t* rows, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * kBytes, from + static_cast<size_t>(rows[i]) * kBytes,
                kBytes);
  }
}

/// Rows of at least kChunk bytes, in chunks of kChunk. The last chunk may overlap the one before.
void gather_chunks(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                   int64_t count) {
  constexpr size_t kChunk = 16;
  const size_t last = row_bytes - kChunk;
  for (int64_t i = 0; i < count; ++i, to += row_bytes) {
    const std::byte* row = from + static_cast<size_t>(rows[i]) * row_bytes;
    for (size_t at = 0; at < last; at += kChunk) std::memcpy(to + at, row + at, kChunk);
    std::memcpy(to + last, row + last, kChunk);
  }
}

/// Copies bytes [begin, end) of each row, for large rows. The copies are `row_bytes` apart, too.
void gather_large(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                  int64_t count, size_t begin, size_t end) {
  to += begin;
  from += begin;
  const size_t bytes = end - begin;
  for (int64_t i = 0; i < count; ++i, to += row_bytes) {
    if (i + kPrefetchRows < count) {
      const std::byte* later = from + static_cast<size_t>(rows[i + kPrefetchRows]) * row_bytes;
      for (size_t at = 0; at < kPrefetchBytes && at < bytes; at += kCacheLine) {
        __builtin_prefetch(later + at);
      }
    }
    std::memcpy(to, from + static_cast<size_t>(rows[i]) * row_bytes, bytes);
  }
}

void gather_part(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                 int64_t count) {
  switch (row_bytes) {
    case 1:
      return gather_fixed<1>(to, from, rows, count);
    case 2:
      return gather_fixed<2>(to, from, rows, count);
    case 4:
      return gather_fixed<4>(to, from, rows, count);
    case 8:
      return gather_fixed<8>(to, from, rows, count);
    case 12:
      return gather_fixed<12>(to, from, rows, count);
    default:
      break;
  }
  if (row_bytes >= 16 && row_bytes <= kInlineBytes) {
    return gather_chunks(to, from, row_bytes, rows, count);
  }
  gather_large(to, from, row_bytes, rows, count, 0, row_bytes);
}

}  // namespace

GatherShare gather_share(size_t sample_rank, size_t row_bytes) {
  return sample_rank == 1 && row_bytes >= kWideRow ? GatherShare::columns : GatherShare::rows;
}

void gather_rows(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                 int64_t count, GatherShare share) {
  if (static_cast<size_t>(count) * row_bytes < kParallelBytes) {
    return gather_part(to, from, row_bytes, rows, count);
  }
  if (share == GatherShare::columns) {
    const size_t lines = (row_bytes + kCacheLine - 1) / kCacheLine;
    return run_ranges(static_cast<int64_t>(lines), [&](int64_t begin, int64_t end) {
      gather_large(to, from, row_bytes, rows, count, static_cast<size_t>(begin) * kCacheLine,
                   std::min(static_cast<size_t>(end) * kCacheLine, row_bytes));
    });
  }
  run_ranges(count, [&](int64_t begin, int64_t end) {
    gather_part(to + static_cast<size_t>(begin) * row_bytes, from, row_bytes, rows + begin,
                end - begin);
  });
}

Tensor take_rows(const Tensor& t, std::span<const int64_t> rows) {
  Shape shape = t.shape();
  const int64_t available = shape[0];
  shape[0] = std::ssize(rows);
  Tensor result = Tensor::empty(t.dtype(), shape);
  if (available == 0 || rows.empty()) return result;
  gather_rows(static_cast<std::byte*>(result.mutable_data()),
              static_cast<const std::byte*>(t.data()), t.bytes() / static_cast<size_t>(available),
              rows.data(), std::ssize(rows));
  return result;
}

}  // namespace antler::data
