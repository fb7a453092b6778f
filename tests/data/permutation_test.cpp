#include "data/permutation.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace antler::data {
namespace {

std::vector<int64_t> permutation(size_t size, uint64_t seed, uint64_t pass) {
  std::vector<int64_t> order(size);
  random_permutation(order, seed, pass);
  return order;
}

TEST(PermutationTest, HasEveryIndexOnce) {
  for (const size_t size : {1U, 2U, 63U, 64U, 1000U}) {
    const std::vector<int64_t> order = permutation(size, 3, 5);
    const std::set<int64_t> seen(order.begin(), order.end());
    EXPECT_EQ(seen.size(), size);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), static_cast<int64_t>(size) - 1);
  }
  EXPECT_TRUE(permutation(0, 1, 1).empty());
}

TEST(PermutationTest, DependsOnSeedAndPassAlone) {
  EXPECT_EQ(permutation(100, 1, 2), permutation(100, 1, 2));
  EXPECT_NE(permutation(100, 1, 2), permutation(100, 1, 3));
  EXPECT_NE(permutation(100, 1, 2), permutation(100, 2, 2));
  EXPECT_NE(permutation(100, 1, 2), permutation(100, 1 | uint64_t{1} << 32, 2));
  EXPECT_NE(permutation(100, 1, 2), permutation(100, 1, 2 | uint64_t{1} << 32));
}

// Users with a seed rely on this order.
TEST(PermutationTest, StaysTheSame) {
  EXPECT_EQ(permutation(8, 42, 0), (std::vector<int64_t>{2, 5, 1, 7, 4, 3, 0, 6}));
}

TEST(PermutationTest, AllOrdersAreEquallyLikely) {
  std::map<std::vector<int64_t>, int> counts;
  constexpr int kDraws = 24000;
  for (int i = 0; i < kDraws; ++i) ++counts[permutation(4, 7, static_cast<uint64_t>(i))];
  ASSERT_EQ(counts.size(), 24U);
  double chi_squared = 0;
  for (const auto& [order, count] : counts) {
    const double off = count - kDraws / 24.0;
    chi_squared += off * off / (kDraws / 24.0);
  }
  // 23 degrees of freedom: above 49.7 once in a thousand.
  EXPECT_LT(chi_squared, 49.7);
}

}  // namespace
}  // namespace antler::data
