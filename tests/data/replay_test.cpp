#include "data/replay.h"

#include <gtest/gtest.h>

#include <vector>

#include "antler/data/array_source.h"

namespace antler::data {
namespace {

Replay numbers(int64_t rows, int64_t batch) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.push_back(static_cast<float>(i));
  return Replay(array_source(Tensor::of<float>(values), {}, {}, {.batch_size = batch}));
}

/// The next batch; empty at the end.
std::vector<float> next(Replay& source) {
  Nest specs;
  if (source.batch_rows() == 0 || !source.peek(specs)) return {};
  std::vector<float> rows(static_cast<size_t>(specs[0].tensor().dim(0)));
  void* buffer = rows.data();
  EXPECT_TRUE(source.fill({&buffer, 1}));
  return rows;
}

using Rows = std::vector<float>;

TEST(Replay, BatchesSinceTheMarkComeAgain) {
  Replay source = numbers(7, 2);
  EXPECT_EQ(next(source), (Rows{0, 1}));
  source.mark();
  EXPECT_EQ(next(source), (Rows{2, 3}));
  EXPECT_EQ(next(source), (Rows{4, 5}));
  source.rewind();
  EXPECT_EQ(source.batch_rows(), 2);
  EXPECT_EQ(next(source), (Rows{2, 3}));
  EXPECT_EQ(next(source), (Rows{4, 5}));
  EXPECT_EQ(next(source), (Rows{6}));
  EXPECT_EQ(next(source), Rows{});
  source.rewind();
  source.rewind();
  EXPECT_EQ(next(source), (Rows{2, 3}));
  source.mark();
  source.rewind();
  EXPECT_EQ(next(source), (Rows{4, 5}));
}

TEST(Replay, ABatchThatDoesNotFitIsNotWritten) {
  Replay source = numbers(3, 2);
  EXPECT_EQ(next(source), (Rows{0, 1}));
  std::vector<float> rows(2, -1.0F);
  void* buffer = rows.data();
  EXPECT_FALSE(source.fill({&buffer, 1}));
  source.rewind();
  EXPECT_EQ(next(source), (Rows{0, 1}));
  EXPECT_FALSE(source.fill({&buffer, 1}));
  EXPECT_EQ(rows, (Rows{-1, -1}));
  EXPECT_EQ(next(source), Rows{2});
}

TEST(Replay, ANewPassBeginsAfterTheMark) {
  Replay source = numbers(4, 2);
  next(source);
  source.mark();
  next(source);
  source.reset();
  EXPECT_EQ(next(source), (Rows{0, 1}));
  source.rewind();
  EXPECT_EQ(next(source), (Rows{2, 3}));
  EXPECT_EQ(next(source), (Rows{0, 1}));
  EXPECT_EQ(next(source), (Rows{2, 3}));
}

}  // namespace
}  // namespace antler::data
