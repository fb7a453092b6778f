#include "antler/ops/random.h"

#include <cmath>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

constexpr int64_t kDraws = 20000;

Tensor seed_of(uint32_t number) { return Tensor::of(std::vector<uint32_t>{number, 7}); }

struct Found {
  double mean = 0;
  double variance = 0;
};
Found statistics_of(const Tensor& x) {
  Found found;
  const std::vector<double> values = x.to_doubles();
  for (const double v : values) found.mean += v / static_cast<double>(values.size());
  for (const double v : values) {
    found.variance += (v - found.mean) * (v - found.mean) / static_cast<double>(values.size());
  }
  return found;
}

/// Allows six standard errors. The seeds are fixed, so a correct implementation never fails.
void expect_statistics(const Tensor& x, double mean, double variance) {
  const Found found = statistics_of(x);
  EXPECT_NEAR(found.mean, mean, 6 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(found.variance / variance, 1, 0.15);
}

TEST(Distributions, GammaHasItsMoments) {
  for (const double alpha : {0.3, 1.0, 4.5}) {
    expect_statistics(ops::random_gamma(seed_of(1), {kDraws}, alpha), alpha, alpha);
  }
}

TEST(Distributions, BetaHasItsMoments) {
  const double a = 2;
  const double b = 0.5;
  expect_statistics(ops::random_beta(seed_of(2), {kDraws}, a, b), a / (a + b),
                    a * b / ((a + b) * (a + b) * (a + b + 1)));
}

TEST(Distributions, BinomialTakesACountForEachElement) {
  const Tensor counts = ops::expand_dims(Tensor::of(std::vector<float>{3, 10}), 1);
  const Tensor x = ops::random_binomial(seed_of(3), {2, kDraws}, counts, 0.3);
  expect_statistics(ops::slice_axis(x, 0, 0, 1), 0.9, 0.63);
  expect_statistics(ops::slice_axis(x, 0, 1, 2), 3, 2.1);
}

TEST(Distributions, CategoricalFollowsItsLogits) {
  const Tensor logits = Tensor::of(std::vector<float>{0, std::log(3.0F)}, {1, 2});
  expect_statistics(ops::random_categorical(seed_of(4), logits, kDraws), 0.75, 0.1875);
  EXPECT_THROW(ops::random_categorical(seed_of(4), 1.0, 3), ValueError);
}

TEST(Distributions, DropoutKeepsTheMean) {
  expect_statistics(ops::random_dropout(seed_of(5), ops::ones({kDraws}), 0.25), 1, 1.0 / 3);
  const Tensor rows = ops::random_dropout(seed_of(6), ops::ones({50, 4}), 0.5, Shape{50, 1});
  const std::vector<float> values = rows.to_vector<float>();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], values[i / 4 * 4]);
  EXPECT_THROW(ops::random_dropout(seed_of(5), ops::ones({2}), 1), ValueError);
}

TEST(Distributions, DependOnTheSeedAlone) {
  EXPECT_EQ(ops::random_gamma(seed_of(8), {5}, 2.0).to_vector<float>(),
            ops::random_gamma(seed_of(8), {5}, 2.0).to_vector<float>());
  EXPECT_NE(ops::random_gamma(seed_of(8), {5}, 2.0).to_vector<float>(),
            ops::random_gamma(seed_of(9), {5}, 2.0).to_vector<float>());
}

}  // namespace
}  // namespace antler
