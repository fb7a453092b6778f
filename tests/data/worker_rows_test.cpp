#include "data/worker_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/data/array_source.h"

namespace antler::data {
namespace {

/// Reads a pass of one worker: the rows of each step; an empty list for a dummy.
std::vector<std::vector<float>> pass(DataSource& source) {
  std::vector<std::vector<float>> steps;
  while (source.batch_rows() > 0) {
    source.signature();
    Nest specs;
    EXPECT_TRUE(source.peek(specs));
    const bool is_empty = source.worker_batch().is_empty;
    std::vector<float> rows(static_cast<size_t>(specs[0].tensor().dim(0)), -1.0F);
    void* buffer = rows.data();
    EXPECT_TRUE(source.fill({&buffer, 1}));
    if (is_empty) {
      EXPECT_EQ(rows, std::vector<float>{0.0F});
      rows.clear();
    }
    steps.push_back(rows);
  }
  return steps;
}

std::shared_ptr<DataSource> numbers(int64_t rows, int64_t batch) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.push_back(static_cast<float>(i));
  return array_source(Tensor::of<float>(values), {}, {}, {.batch_size = batch});
}

TEST(WorkerRows, EachWorkerHasConsecutiveRows) {
  const auto first = worker_rows(numbers(7, 4), 0, 2);
  const auto second = worker_rows(numbers(7, 4), 1, 2);
  EXPECT_EQ(pass(*first), (std::vector<std::vector<float>>{{0, 1}, {4, 5}}));
  EXPECT_EQ(pass(*second), (std::vector<std::vector<float>>{{2, 3}, {6}}));
}

TEST(WorkerRows, TheFirstWorkersHaveTheRowsOfASmallBatch) {
  const auto middle = worker_rows(numbers(4, 4), 1, 3);
  EXPECT_EQ(pass(*middle), (std::vector<std::vector<float>>{{2, 3}}));
  const auto last = worker_rows(numbers(4, 4), 2, 3);
  EXPECT_TRUE(last->worker_batch().is_empty);
  EXPECT_EQ(pass(*last), (std::vector<std::vector<float>>{{}}));
}

TEST(WorkerRows, AWorkerWithoutRowsReadsADummy) {
  const auto last = worker_rows(numbers(5, 4), 1, 2);
  EXPECT_EQ(pass(*last), (std::vector<std::vector<float>>{{2, 3}, {}}));
}

TEST(WorkerRows, GlobalRowsAreKnown) {
  const auto source = worker_rows(numbers(7, 4), 1, 2);
  EXPECT_EQ(source->worker_batch(), (WorkerBatch{.global_rows = 4}));
  pass(*source);
  EXPECT_EQ(source->batch_rows(), 0);
  source->reset();
  EXPECT_EQ(source->batch_rows(), 2);
}

TEST(WorkerRows, ABatchThatDoesNotFitIsNotWritten) {
  const auto source = worker_rows(numbers(6, 4), 0, 2);
  source->signature();
  std::vector<float> rows(2);
  void* buffer = rows.data();
  EXPECT_TRUE(source->fill({&buffer, 1}));
  // The next batch has two rows in all, of which this worker has one.
  EXPECT_FALSE(source->fill({&buffer, 1}));
  EXPECT_EQ(rows, (std::vector<float>{0, 1}));
  source->signature();
  EXPECT_TRUE(source->fill({&buffer, 1}));
  EXPECT_EQ(rows, (std::vector<float>{4, 1}));
}

}  // namespace
}  // namespace antler::data
