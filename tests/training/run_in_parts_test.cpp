#include "training/run_in_parts.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace antler::training {
namespace {

/// The numbers of steps after which a run in parts of at most four steps reports.
std::vector<int64_t> reports(int64_t n, int64_t available, int64_t period) {
  int64_t done = 0;
  std::vector<int64_t> after;
  const Function::StepOutputs report = [&](const Nest&) { after.push_back(done); };
  const auto part = [&](int64_t count, const Function::StepOutputs& each) {
    const int64_t steps = std::min({count, available - done, int64_t{4}});
    for (int64_t i = 1; i <= steps; ++i) {
      ++done;
      if (each && i % std::max<int64_t>(period, 1) == 0) each({});
    }
    return steps;
  };
  EXPECT_EQ(run_in_parts(n, {}, report, period, part), std::min(n, available));
  return after;
}

TEST(RunInParts, ReportsAfterEachPeriodWhereverPartsEnd) {
  EXPECT_EQ(reports(11, 99, 3), (std::vector<int64_t>{3, 6, 9}));
  EXPECT_EQ(reports(12, 99, 6), (std::vector<int64_t>{6, 12}));
  EXPECT_EQ(reports(20, 10, 7), (std::vector<int64_t>{7}));
  EXPECT_EQ(reports(5, 99, 0), (std::vector<int64_t>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace antler::training
