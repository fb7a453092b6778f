#include "antler/ops/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "antler/base/error.h"
#include "antler/base/philox.h"
#include "support/op_cases.h"

namespace antler {
namespace {

constexpr int64_t kCount = 20000;

Tensor seed(uint32_t a = 1, uint32_t b = 2) { return Tensor::of<uint32_t>({a, b}); }

struct Statistics {
  double mean = 0;
  double stddev = 0;
  double low = 0;
  double high = 0;
};

Statistics statistics(const Tensor& x) {
  const std::vector<double> values = x.to_doubles();
  const double n = static_cast<double>(values.size());
  Statistics s;
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (double v : values) s.stddev += (v - s.mean) * (v - s.mean) / n;
  s.stddev = std::sqrt(s.stddev);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  s.low = *low;
  s.high = *high;
  return s;
}

TEST(Random, Cases) { test::check_ops(test::random_cases()); }

TEST(Random, BitsDependOnSeedAndPlaceAlone) {
  const auto long_row = ops::random_bits(seed(), {33}).to_vector<uint32_t>();
  const auto matrix = ops::random_bits(seed(), {3, 5}).to_vector<uint32_t>();
  EXPECT_TRUE(std::equal(matrix.begin(), matrix.end(), long_row.begin()));
  EXPECT_NE(ops::random_bits(seed(1, 3), {33}).to_vector<uint32_t>(), long_row);
  const auto block = philox({2, 0, 0, 0}, {1, 2});
  EXPECT_EQ(long_row[9], block[1]);
}

TEST(Random, SeedsAreChecked) {
  EXPECT_THROW(ops::random_bits(Tensor::of<int32_t>({1, 2}), {3}), ValueError);
  EXPECT_THROW(ops::random_bits(Tensor::of<uint32_t>({1, 2, 3}), {3}), ValueError);
}

TEST(Random, Uniform) {
  for (DType dtype : {DType::float32, DType::float64, DType::bfloat16, DType::float16}) {
    SCOPED_TRACE(dtype_name(dtype));
    const Tensor x = ops::random_uniform(seed(), {kCount}, -2, 3, dtype);
    EXPECT_EQ(x.dtype(), dtype);
    const Statistics s = statistics(x);
    EXPECT_NEAR(s.mean, 0.5, 0.05);
    EXPECT_NEAR(s.stddev, 5 / std::sqrt(12.0), 0.05);
    EXPECT_GE(s.low, -2);
    EXPECT_LT(s.high, 3);
    const Statistics unit = statistics(ops::random_uniform(seed(), {kCount}, 0, 1, dtype));
    EXPECT_GE(unit.low, 0);
    EXPECT_LT(unit.high, 1);
  }
  EXPECT_EQ(ops::random_uniform(seed(), {2, 0}).shape(), (Shape{2, 0}));
  EXPECT_THROW(ops::random_uniform(seed(), {2}, 0, 1, DType::int32), ValueError);
}

// In bfloat16, [1, 1 + 2^-7) contains one number; plain rounding would return the upper end half of
// the time.
TEST(Random, UniformNeverReachesItsUpperEnd) {
  const Statistics s =
      statistics(ops::random_uniform(seed(), {1000}, 1, 1 + 0x1p-7, DType::bfloat16));
  EXPECT_EQ(s.low, 1);
  EXPECT_EQ(s.high, 1);
  const Statistics negative =
      statistics(ops::random_uniform(seed(), {1000}, -1, 0, DType::float16));
  EXPECT_LT(negative.high, 0);
}

TEST(Random, Normal) {
  for (DType dtype : {DType::float32, DType::float64, DType::bfloat16}) {
    SCOPED_TRACE(dtype_name(dtype));
    const Tensor x = ops::random_normal(seed(), {kCount}, 1, 2, dtype);
    EXPECT_EQ(x.dtype(), dtype);
    const Statistics s = statistics(x);
    EXPECT_NEAR(s.mean, 1, 0.06);
    EXPECT_NEAR(s.stddev, 2, 0.06);
    EXPECT_GT(s.high, 1 + 2 * 3);
    double beyond = 0;  // two standard deviations: 4.55 %
    for (double v : x.to_doubles()) beyond += std::fabs(v - 1) > 4 ? 1.0 / kCount : 0;
    EXPECT_NEAR(beyond, 0.0455, 0.006);
  }
}

TEST(Random, TruncatedNormal) {
  const Statistics s = statistics(ops::random_truncated_normal(seed(), {kCount}, 1, 2));
  EXPECT_NEAR(s.mean, 1, 0.05);
  EXPECT_NEAR(s.stddev, 2 * 0.87962566, 0.05);
  EXPECT_GE(s.low, -3);
  EXPECT_LE(s.high, 5);
}

TEST(Random, Integers) {
  const Tensor x = ops::random_integers(seed(), {kCount}, -3, 4);
  EXPECT_EQ(x.dtype(), DType::int32);
  std::vector<int> count(7, 0);
  for (int32_t v : x.to_vector<int32_t>()) {
    ASSERT_GE(v, -3);
    ASSERT_LT(v, 4);
    ++count[static_cast<size_t>(int64_t{v} + 3)];
  }
  for (int c : count) EXPECT_NEAR(c, kCount / 7.0, 250);
  const int64_t far = int64_t{1} << 40;
  const Statistics wide =
      statistics(ops::random_integers(seed(), {kCount}, -far, far, DType::int64));
  EXPECT_LT(wide.low, -0.99 * static_cast<double>(far));
  EXPECT_GT(wide.high, 0.99 * static_cast<double>(far));
  const Statistics bytes = statistics(ops::random_integers(seed(), {kCount}, 0, 256, DType::uint8));
  EXPECT_EQ(bytes.low, 0);
  EXPECT_EQ(bytes.high, 255);
  EXPECT_THROW(ops::random_integers(seed(), {2}, 3, 3), ValueError);
  EXPECT_THROW(ops::random_integers(seed(), {2}, 0, 3, DType::float32), ValueError);
}

TEST(Random, Bernoulli) {
  const Tensor x = ops::random_bernoulli(seed(), {kCount}, 0.3);
  EXPECT_EQ(x.dtype(), DType::boolean);
  EXPECT_NEAR(statistics(x).mean, 0.3, 0.015);
  EXPECT_EQ(statistics(ops::random_bernoulli(seed(), {1000}, 1)).low, 1);
  EXPECT_EQ(statistics(ops::random_bernoulli(seed(), {1000}, 0)).high, 0);
  EXPECT_THROW(ops::random_bernoulli(seed(), {2}, 1.5), ValueError);
}

TEST(Random, ShuffleIsAPermutation) {
  std::vector<double> values(33);
  std::iota(values.begin(), values.end(), 0);
  const Tensor x = test::tensor_of(DType::float32, {33, 1}, values);
  std::vector<double> shuffled = ops::random_shuffle(seed(), x).to_doubles();
  EXPECT_NE(shuffled, values);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, values);
  EXPECT_EQ(ops::random_shuffle(seed(), x, 1).to_doubles(), values);
  EXPECT_EQ(ops::random_shuffle(seed(), Tensor::zeros(DType::float32, {0, 2})).shape(),
            (Shape{0, 2}));
}

}  // namespace
}  // namespace antler
