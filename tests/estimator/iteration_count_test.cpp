#include "antler/estimator/iteration_count.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/base/error.h"

namespace antler::estimator::tpu {
namespace {

std::vector<int64_t> executions(const TPUConfig& config, int64_t start, int64_t num_steps,
                                double step_time = 0.1) {
  ExecutionSteps counter(config, {.num_steps = num_steps});
  counter.start(start);
  std::vector<int64_t> counts;
  int64_t step = start;
  while (const int64_t n = counter.next(step)) {
    counts.push_back(n);
    step += n;
    counter.update(static_cast<double>(n) * step_time, n);
  }
  return counts;
}

TEST(ExecutionSteps, TheLastExecutionMakesTheRest) {
  EXPECT_EQ(executions(TPUConfig({.iterations_per_loop = 4}), 7, 10),
            (std::vector<int64_t>{4, 4, 2}));
  EXPECT_EQ(executions(TPUConfig({.iterations_per_loop = "3"}), 0, 6),
            (std::vector<int64_t>{3, 3}));
}

TEST(ExecutionSteps, ADurationIsEstimated) {
  EXPECT_EQ(executions(TPUConfig({.iterations_per_loop = "30s"}), 0, 700),
            (std::vector<int64_t>{1, 300, 300, 99}));
}

TEST(ExecutionSteps, NeedsAnEnd) {
  EXPECT_THROW(ExecutionSteps(TPUConfig(), {}), ValueError);
  EXPECT_THROW(ExecutionSteps(TPUConfig(), {.num_steps = 1, .final_step = 2}), ValueError);
}

TEST(IterationCountEstimator, IgnoresWhatTookNoTime) {
  IterationCountEstimator estimator(3);
  EXPECT_EQ(estimator.get(10), 1);
  estimator.update(0, 5);
  estimator.update(3, 0);
  EXPECT_EQ(estimator.get(10), 1);
  estimator.update(2, 2);
  EXPECT_EQ(estimator.get(10), 10);
  EXPECT_THROW(estimator.get(0), ValueError);
  EXPECT_THROW(IterationCountEstimator(0), ValueError);
}

}  // namespace
}  // namespace antler::estimator::tpu
