#include "data/gather.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "antler/base/parallel.h"

namespace antler::data {
namespace {

/// Three parts of unequal size, the last one first.
void in_three_parts(int64_t count, RangeBody body, void* context) {
  const int64_t cuts[] = {0, count / 2, count - 1, count};
  for (int part = 2; part >= 0; --part) body(context, cuts[part], cuts[part + 1]);
}

TEST(GatherRows, IsTheSameByRowsAndByColumns) {
  const RangeRunner before = range_runner();
  set_range_runner(in_three_parts);
  for (const size_t row_bytes : {400U, 1024U, 1060U, 3136U}) {
    std::vector<std::byte> from(40 * row_bytes);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251);
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < 200; ++i) rows.push_back(i * 13 % 40);
    for (const GatherShare share : {GatherShare::rows, GatherShare::columns}) {
      // One byte more, which must not change.
      std::vector<std::byte> to(rows.size() * row_bytes + 1, std::byte{0x5A});
      gather_rows(to.data(), from.data(), row_bytes, rows.data(), std::ssize(rows), share);
      for (size_t i = 0; i < rows.size(); ++i) {
        const std::byte* row = from.data() + static_cast<size_t>(rows[i]) * row_bytes;
        ASSERT_EQ(std::memcmp(to.data() + i * row_bytes, row, row_bytes), 0)
            << row_bytes << ' ' << i;
      }
      EXPECT_EQ(to.back(), std::byte{0x5A});
    }
  }
  set_range_runner(before);
}

TEST(GatherShare, ColumnsForWideVectorsOnly) {
  EXPECT_EQ(gather_share(1, 3136), GatherShare::columns);
  EXPECT_EQ(gather_share(1, 40), GatherShare::rows);
  EXPECT_EQ(gather_share(3, 3136), GatherShare::rows);
  EXPECT_EQ(gather_share(0, 4), GatherShare::rows);
}

}  // namespace
}  // namespace antler::data
