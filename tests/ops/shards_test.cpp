#include "ops/core/shards.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "antler/base/error.h"

namespace antler::ops {
namespace {

using Values = std::vector<double>;

/// 0, 1, 2, ... in the given shape.
Tensor counted(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::of(values, shape);
}

Values values_of(const Variable& v) { return v.stored().to_doubles(); }

TEST(VariableShards, RowsAndColumns) {
  const Variable rows(counted({4, 2}), {.name = "rows"});
  divide(rows, {{0, 2, "model"}});
  ASSERT_NE(rows.shards(), nullptr);
  ASSERT_EQ(rows.shards()->parts.size(), 2U);
  EXPECT_EQ(rows.shards()->parts[1].shape(), (Shape{2, 2}));
  EXPECT_EQ(rows.shards()->parts[1].path(), "rows/part_1");
  EXPECT_EQ(values_of(rows.shards()->parts[1]), (Values{4, 5, 6, 7}));

  const Variable columns(counted({2, 4}));
  divide(columns, {{1, 2, "model"}});
  EXPECT_EQ(values_of(columns.shards()->parts[0]), (Values{0, 1, 4, 5}));
  EXPECT_EQ(values_of(columns.shards()->parts[1]), (Values{2, 3, 6, 7}));
}

TEST(VariableShards, AGridOfParts) {
  const Variable v(counted({4, 2, 6}));
  divide(v, {{0, 2, "x"}, {2, 3, "y"}});
  ASSERT_EQ(v.shards()->parts.size(), 6U);
  // Rows 2 and 3, both of dimension 1, columns 2 and 3.
  EXPECT_EQ(values_of(v.shards()->parts[4]), (Values{26, 27, 32, 33, 38, 39, 44, 45}));
  EXPECT_EQ(values_of(v), counted({4, 2, 6}).to_doubles());
}

TEST(VariableShards, OneVariableToEverybodyElse) {
  const Variable v(counted({2, 2}), {.name = "v"});
  const uint64_t before = v.version();
  divide(v, {{1, 2, "model"}});
  EXPECT_EQ(v.shape(), (Shape{2, 2}));
  EXPECT_EQ(v.dtype(), DType::float32);
  EXPECT_EQ(v.value().to_doubles(), (Values{0, 1, 2, 3}));
  v.assign(Tensor::of({{5.0F, 6.0F}, {7.0F, 8.0F}}));
  EXPECT_EQ(values_of(v), (Values{5, 6, 7, 8}));
  EXPECT_EQ(values_of(v.shards()->parts[1]), (Values{6, 8}));
  EXPECT_GT(v.version(), before);
  EXPECT_THROW(v.assign(Tensor::of({1.0F})), ValueError);
  EXPECT_THROW(v.exclusive_data(), InternalError);
}

TEST(VariableShards, NothingToDivide) {
  const Variable v(counted({3}));
  divide(v, {});
  EXPECT_EQ(v.shards(), nullptr);
  EXPECT_TRUE(sharding_of(v).empty());
}

TEST(VariableShards, LikeAnotherOfTheSameShape) {
  const Variable kernel(counted({4, 2}));
  divide(kernel, {{0, 2, "model"}});
  const Variable slot(counted({4, 2}));
  const Variable scalar(counted({}));
  divide_like(slot, kernel);
  divide_like(scalar, kernel);
  EXPECT_EQ(sharding_of(slot), sharding_of(kernel));
  EXPECT_EQ(scalar.shards(), nullptr);
}

TEST(VariableShards, RefusesWhatDoesNotFit) {
  const Variable v(counted({3, 4}));
  EXPECT_THROW(divide(v, {{0, 2, "model"}}), ValueError);
  EXPECT_THROW(divide(v, {{2, 2, "model"}}), ValueError);
  EXPECT_EQ(v.shards(), nullptr);
  divide(v, {{1, 2, "model"}});
  EXPECT_THROW(divide(v, {{1, 2, "model"}}), ValueError);
}

}  // namespace
}  // namespace antler::ops
