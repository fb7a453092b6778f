#include "training/output_collector.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/ops.h"

namespace antler::training {
namespace {

Tensor counted(const Shape& shape, double start) {
  return ops::reshape(
      ops::arange(start, start + static_cast<double>(shape.num_elements()), {.dtype = "float32"}),
      shape);
}

TEST(OutputCollector, CountsRowsWithoutElements) {
  OutputCollector all;
  all.append(ops::zeros({8, 0}));
  all.append(ops::zeros({3, 0}));
  EXPECT_EQ(all.finish().tensor().shape(), (Shape{11, 0}));
}

TEST(OutputCollector, RowsOfDifferentShapesBecomeAList) {
  OutputCollector all(4);
  all.append(ops::zeros({2, 0, 3}));  // empty sequences
  all.append(counted({2, 2, 3}, 0));
  all.append(counted({1, 1, 3}, 50));
  const Nest rows = all.finish();
  ASSERT_EQ(rows.size(), 5);
  EXPECT_EQ(rows[0].tensor().shape(), (Shape{0, 3}));
  EXPECT_EQ(rows[3].tensor().to_doubles(), (std::vector<double>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(rows[4].tensor().to_doubles(), (std::vector<double>{50, 51, 52}));
}

// The shape of a batch without rows says nothing about the next ones.
TEST(OutputCollector, StartsWithAnEmptyBatch) {
  for (const int64_t expected : {0, 2, 100}) {
    OutputCollector all(expected);
    all.append(ops::zeros({0, 5}));
    all.append(counted({4, 9}, 0));
    all.append(counted({3, 9}, 36));
    const Tensor result = all.finish().tensor();
    EXPECT_EQ(result.shape(), (Shape{7, 9}));
    EXPECT_EQ(result.to_doubles(), counted({7, 9}, 0).to_doubles());
  }
}

TEST(OutputCollector, StacksScalarsAndRefusesOtherRanks) {
  OutputCollector all(1);
  for (int i = 0; i < 3; ++i) all.append(Tensor(static_cast<float>(i)));
  EXPECT_EQ(all.finish().tensor().to_doubles(), (std::vector<double>{0, 1, 2}));
  EXPECT_THROW(all.append(ops::zeros({2, 2})), ValueError);
  EXPECT_THROW(all.append(ops::zeros({2}, "int32")), ValueError);
}

}  // namespace
}  // namespace antler::training
