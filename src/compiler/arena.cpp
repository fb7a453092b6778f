#include "compiler/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace antler::compiler {
namespace {

int64_t aligned(int64_t bytes) {
  return std::max<int64_t>(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

int64_t pack(std::vector<Interval>& intervals) {
  std::vector<size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (intervals[a].bytes != intervals[b].bytes) return intervals[a].bytes > intervals[b].bytes;
    return intervals[a].first < intervals[b].first;
  });
  std::vector<size_t> placed;  // by offset
  int64_t peak = 0;
  for (size_t i : order) {
    Interval& x = intervals[i];
    const int64_t size = aligned(x.bytes);
    int64_t best = -1;
    int64_t best_gap = std::numeric_limits<int64_t>::max();
    int64_t end = 0;  // of the blocks below
    for (size_t j : placed) {
      const Interval& y = intervals[j];
      if (y.last < x.first || x.last < y.first) continue;
      const int64_t gap = y.offset - end;
      if (gap >= size && gap < best_gap) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, y.offset + aligned(y.bytes));
    }
    x.offset = best >= 0 ? best : end;
    peak = std::max(peak, x.offset + size);
    const auto where =
        std::upper_bound(placed.begin(), placed.end(), x.offset,
                         [&](int64_t offset, size_t j) { return offset < intervals[j].offset; });
    placed.insert(where, i);
  }
  return peak;
}

}  // namespace antler::compiler
