#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/nn/activations.h"
#include "ops/vectors.h"

// Expected values were computed with Keras 3.15 on TensorFlow.
namespace antler {
namespace {

using test::f32;

const std::vector<double> kX = {-2, -1, -.5, -.2, 0, .2, .5, 1, 2, 3};

void expect_values(const Tensor& y, const std::vector<double>& expected) {
  ASSERT_EQ(y.size(), static_cast<int64_t>(expected.size()));
  const std::vector<double> values = y.to_doubles();
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6) << i;
}

TEST(Activations, KerasValues) {
  const Tensor x = f32(kX);
  expect_values(ops::hard_shrink(x), {-2, -1, 0, 0, 0, 0, 0, 1, 2, 3});
  expect_values(ops::hard_tanh(x), {-1, -1, -.5, -.2, 0, .2, .5, 1, 1, 1});
  expect_values(ops::soft_shrink(x), {-1.5, -.5, 0, 0, 0, 0, 0, .5, 1.5, 2.5});
  expect_values(ops::sparse_plus(x), {0, 0, .0625, .16, .25, .36, .5625, 1, 2, 3});
  expect_values(ops::sparse_sigmoid(x), {0, 0, .25, .4, .5, .6, .75, 1, 1, 1});
  expect_values(ops::sparsemax(x), {0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  expect_values(ops::threshold(x, .4, 7), {7, 7, 7, 7, 7, 7, .5, 1, 2, 3});
  expect_values(ops::hard_swish(x), {-.3333333, -.3333333, -.2083333, -.0933333, 0, .1066667,
                                     .2916667, .6666667, 1.6666666, 3});
  expect_values(ops::squareplus(x), {.4142135, .618034, .7807764, .9049876, 1, 1.1049876, 1.2807764,
                                     1.618034, 2.4142137, 3.3027756});
  expect_values(ops::swish(x), {-.2384059, -.2689414, -.1887703, -.0900332, 0, .1099668, .3112297,
                                .7310585, 1.7615942, 2.8577223});
  expect_values(ops::tanh_shrink(x), {-1.0359724, -.2384058, -.0378829, -.0026247, 0, .0026247,
                                      .0378829, .2384058, 1.0359724, 2.0049453});
  expect_values(ops::glu(x), {-1.099668, -.6224594, -.3655293, -.1761594, 0});
}

TEST(Activations, GluWantsAnEvenSize) { EXPECT_THROW(ops::glu(f32({1, 2, 3})), ValueError); }

}  // namespace
}  // namespace antler
