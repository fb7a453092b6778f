#include "runtime/cpu/conv/winograd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "antler/ir/attrs.h"
#include "runtime/cpu/conv/direct_conv.h"
#include "support/op_harness.h"

namespace antler::test {
namespace {

using ir::Ints;
using runtime::ConvOp;

ops::ConvGeometry geometry(const Shape& x, const Shape& w, Ints strides = {1, 1},
                           int64_t groups = 1) {
  return {x, w,
          ir::Attrs{{"strides", strides},
                    {"pad_low", Ints{1, 1}},
                    {"pad_high", Ints{1, 1}},
                    {"lhs_dilation", Ints{1, 1}},
                    {"rhs_dilation", Ints{1, 1}},
                    {"groups", groups}}};
}

bool accepts(const ops::ConvGeometry& g) {
  return runtime::WinogradGeometry::accepts(g, ConvOp::forward);
}

/// Relative root mean square error.
double error(const std::vector<float>& result, const std::vector<double>& exact) {
  double squares = 0;
  double differences = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    squares += exact[i] * exact[i];
    differences += (result[i] - exact[i]) * (result[i] - exact[i]);
  }
  return std::sqrt(differences / squares);
}

TEST(Winograd, ServesWhereItWins) {
  EXPECT_TRUE(accepts(geometry({32, 32, 32, 64}, {3, 3, 64, 64})));
  EXPECT_TRUE(accepts(geometry({32, 32, 32, 16}, {3, 3, 16, 16})));
  EXPECT_FALSE(accepts(geometry({32, 32, 32, 3}, {3, 3, 3, 16})));               // few channels
  EXPECT_FALSE(accepts(geometry({2, 5, 5, 32}, {3, 3, 32, 32})));                // small images
  EXPECT_FALSE(accepts(geometry({1, 13, 13, 32}, {3, 3, 32, 64})));              // one image
  EXPECT_FALSE(accepts(geometry({1, 4, 4, 512}, {3, 3, 512, 512})));             // mostly weights
  EXPECT_FALSE(accepts(geometry({32, 32, 32, 64}, {3, 3, 64, 64}, {2, 2})));     // strides
  EXPECT_FALSE(accepts(geometry({32, 32, 32, 64}, {3, 3, 32, 64}, {1, 1}, 2)));  // groups
  EXPECT_FALSE(accepts(geometry({32, 32, 32, 64}, {5, 5, 64, 64})));             // kernel
}

// On an image of activations after relu and initial weights, the error is within three times that
// of direct convolution in float32.
void expect_error_of_the_plain_sum(const Shape& x_shape) {
  const Shape w_shape = {3, 3, 64, 64};
  const ops::ConvGeometry g = geometry(x_shape, w_shape);
  const Tensor x = random_tensor(DType::float32, x_shape, 0, 1);
  const Tensor w = random_tensor(DType::float32, w_shape, -1, 1, 2);
  const auto* const xs = static_cast<const float*>(x.data());
  const auto* const ws = static_cast<const float*>(w.data());
  std::vector<double> exact(static_cast<size_t>(x_shape.num_elements()));
  g.for_each_product([&](int64_t i, int64_t j, int64_t o) {
    exact[static_cast<size_t>(o)] += static_cast<double>(xs[i]) * static_cast<double>(ws[j]);
  });
  const auto run = [&](const auto& engine) {
    std::vector<float> y(exact.size());
    Tensor scratch = Tensor::empty(DType::uint8, {static_cast<int64_t>(engine.scratch_bytes())});
    engine.run(xs, ws, y.data(), scratch.mutable_data());
    return error(y, exact);
  };
  using Direct = runtime::DirectConv<float>;
  const double plain = run(Direct(g, ConvOp::forward, 1));
  const double transformed = run(runtime::WinogradConv(g, ConvOp::forward, 1));
  EXPECT_LT(plain, 1e-6);
  EXPECT_LT(transformed, 3 * plain);
}

TEST(Winograd, ErrorIsOfTheOrderOfThePlainSum) {
  expect_error_of_the_plain_sum({2, 16, 16, 64});
  expect_error_of_the_plain_sum({2, 14, 13, 64});  // with small tiles
}

}  // namespace
}  // namespace antler::test
