#include "antler/base/parallel.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace antler {
namespace {

void run_in_thirds(int64_t count, RangeBody body, void* context) {
  for (int64_t part = 0; part < 3; ++part) {
    body(context, count * part / 3, count * (part + 1) / 3);
  }
}

TEST(RunRanges, CoversTheRangeOnceUnderAnyRunner) {
  const RangeRunner before = range_runner();
  for (const RangeRunner runner : {before, RangeRunner{run_in_thirds}}) {
    set_range_runner(runner);
    std::vector<int> seen(100);
    run_ranges(100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    EXPECT_EQ(seen, std::vector<int>(100, 1));
  }
  set_range_runner(before);
}

}  // namespace
}  // namespace antler
