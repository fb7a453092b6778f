#include "antler/nn/random.h"

#include <gtest/gtest.h>

#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

TEST(Random, IsAFunctionOfItsSeed) {
  const auto draw = [](const random::Seed& seed) {
    return random::normal({8}, {.seed = seed}).to_doubles();
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
  const SeedGenerator generator(3);
  const auto first = draw(generator);
  EXPECT_NE(first, draw(generator));
  EXPECT_EQ(first, draw(SeedGenerator(3)));
  set_random_seed(5);
  const auto of_process = draw({});
  EXPECT_NE(of_process, draw({}));
  set_random_seed(5);
  EXPECT_EQ(of_process, draw({}));
}

TEST(Random, HasTheRangesThatAreAskedFor) {
  const Tensor u = random::uniform({500}, {.minval = 2, .maxval = 3, .seed = 1});
  EXPECT_GE(float(ops::min(u)), 2);
  EXPECT_LT(float(ops::max(u)), 3);
  EXPECT_NEAR(float(ops::mean(u)), 2.5, 0.05);
  const Tensor i = random::randint({500}, -1, 2, {.seed = 1});
  EXPECT_EQ(i.dtype(), DType::int32);
  EXPECT_EQ(int(ops::min(i)), -1);
  EXPECT_EQ(int(ops::max(i)), 1);
  const Tensor n = random::normal({2000}, {.mean = 4, .stddev = 2, .seed = 1});
  EXPECT_NEAR(float(ops::mean(n)), 4, 0.2);
  EXPECT_NEAR(float(ops::std(n)), 2, 0.15);
  const Tensor t = random::truncated_normal({500}, {.stddev = 2, .seed = 1});
  EXPECT_LE(float(ops::max(t)), 4);
  const Tensor c = random::categorical(Tensor::of({{0.F, 100.F, 0.F}}), 4, {.seed = 1});
  EXPECT_EQ(c.to_doubles(), (std::vector<double>{1, 1, 1, 1}));
  const Tensor s = random::shuffle(Tensor::of({1, 2, 3, 4}), {.seed = 1});
  EXPECT_EQ(int(ops::sum(s)), 10);
  const Tensor d = random::dropout(Tensor::of({1.F, 1.F, 1.F, 1.F}), 0.5, {.seed = 1});
  for (const double x : d.to_doubles()) EXPECT_TRUE(x == 0 || x == 2) << x;
}

}  // namespace
}  // namespace antler
