#include "data/worker_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/data/array_source.h"

namespace antler::data {
namespace {

/// Reads a rows_of_pass of one worker: the rows of each step; an empty list for a dummy.
std::vector<std::vector<float>> rows_of_pass(DataSource& source) {
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

std::shared_ptr<DataSource> numbered_rows(int64_t rows, int64_t batch) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.push_back(static_cast<float>(i));
  return array_source(Tensor::of<float>(values), {}, {}, {.batch_size = batch});
}

/// The part of a worker.
std::shared_ptr<DataSource> rows_of(int64_t rank, std::shared_ptr<DataSource> global,
                                    int64_t workers = 2) {
  return worker_rows(std::move(global), [=] { return WorkerPlace{rank, workers}; });
}

TEST(WorkerRows, EachWorkerHasConsecutiveRows) {
  const auto first = rows_of(0, numbered_rows(7, 4));
  const auto second = rows_of(1, numbered_rows(7, 4));
  EXPECT_EQ(rows_of_pass(*first), (std::vector<std::vector<float>>{{0, 1}, {4, 5}}));
  EXPECT_EQ(rows_of_pass(*second), (std::vector<std::vector<float>>{{2, 3}, {6}}));
}

TEST(WorkerRows, TheFirstWorkersHaveTheRowsOfASmallBatch) {
  const auto middle = rows_of(1, numbered_rows(4, 4), 3);
  EXPECT_EQ(rows_of_pass(*middle), (std::vector<std::vector<float>>{{2, 3}}));
  const auto last = rows_of(2, numbered_rows(4, 4), 3);
  EXPECT_TRUE(last->worker_batch().is_empty);
  EXPECT_EQ(rows_of_pass(*last), (std::vector<std::vector<float>>{{}}));
}

TEST(WorkerRows, AWorkerWithoutRowsReadsADummy) {
  const auto last = rows_of(1, numbered_rows(5, 4));
  EXPECT_EQ(rows_of_pass(*last), (std::vector<std::vector<float>>{{2, 3}, {}}));
}

TEST(WorkerRows, APlaceThatChangesHasOtherRowsFromThenOn) {
  WorkerPlace place{1, 2};
  const auto source = worker_rows(numbered_rows(8, 4), [&] { return place; });
  const int64_t before = source->signature();
  std::vector<float> rows(2);
  void* buffer = rows.data();
  EXPECT_TRUE(source->fill({&buffer, 1}));
  EXPECT_EQ(rows, (std::vector<float>{2, 3}));
  place = {0, 1};
  EXPECT_NE(source->signature(), before);
  EXPECT_EQ(rows_of_pass(*source), (std::vector<std::vector<float>>{{4, 5, 6, 7}}));
}

TEST(WorkerRows, GlobalRowsAreKnown) {
  const auto source = rows_of(1, numbered_rows(7, 4));
  EXPECT_EQ(source->worker_batch(), (WorkerBatch{.global_rows = 4}));
  rows_of_pass(*source);
  EXPECT_EQ(source->batch_rows(), 0);
  source->reset();
  EXPECT_EQ(source->batch_rows(), 2);
}

TEST(WorkerRows, ABatchThatDoesNotFitIsNotWritten) {
  const auto source = rows_of(0, numbered_rows(6, 4));
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
