#include "antler/ops/control_flow.h"

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "support/op_harness.h"

namespace antler {
namespace {

using test::expect_close;
using Values = std::vector<double>;

TEST(Mapping, MapStacksWhatItGets) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  expect_close(ops::map([](const Tensor& row) { return ops::sum(row) * row; }, x),
               {3, 6, 21, 28, 55, 66});
  const std::vector<Tensor> two = ops::vectorized_map(
      [](const std::vector<Tensor>& v) {
        return std::vector<Tensor>{v[0] + v[1], ops::sum(v[0])};
      },
      {x, Tensor::of<float>({10, 20, 30})});
  expect_close(two[0], {11, 12, 23, 24, 35, 36});
  expect_close(two[1], {3, 7, 11});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = ops::map([](const Tensor& row) { return ops::sum(ops::square(row)); }, x);
  expect_close(tape.gradient(y, x), {2, 4, 6, 8, 10, 12});
}

TEST(Mapping, VectorizeBroadcasts) {
  const auto larger = ops::vectorize([](const std::vector<Tensor>& v) {
    EXPECT_EQ(v[0].rank(), 0);
    return std::vector<Tensor>{ops::where(ops::greater(v[0], v[1]), v[0] - v[1], v[0] + v[1])};
  });
  const Tensor y = larger({Tensor::of<float>({1, 2, 3, 4}), Tensor::of<float>({2})})[0];
  EXPECT_EQ(y.to_doubles(), (Values{3, 4, 1, 2}));  // numpy.vectorize's example
  EXPECT_EQ(larger({ops::zeros({2, 1}), ops::ones({3})})[0].shape().str(), "(2, 3)");
}

// x_t = a_t x_{t-1} + b_t, against a loop, for each length up to 9 and both directions.
TEST(Mapping, AssociativeScanIsALoop) {
  const ops::Combine affine = [](const std::vector<Tensor>& p, const std::vector<Tensor>& q) {
    return std::vector<Tensor>{q[0] * p[0], q[0] * p[1] + q[1]};
  };
  for (int n = 1; n < 10; ++n) {
    for (const bool reverse : {false, true}) {
      std::vector<float> a;
      std::vector<float> b;
      for (int i = 0; i < n; ++i) {
        a.push_back(0.5F + 0.25F * static_cast<float>(i % 3));
        b.push_back(static_cast<float>(i * i % 5) - 1.0F);
      }
      Values expected(static_cast<size_t>(n));
      double x = 0;
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<size_t>(reverse ? n - 1 - i : i);
        x = a[at] * x + b[at];
        expected[at] = x;
      }
      const auto result = ops::associative_scan(
          affine, {Tensor::of(a, {1, n}), Tensor::of(b, {1, n})}, {.reverse = reverse, .axis = 1});
      EXPECT_EQ(result[1].shape().str(), "(1, " + std::to_string(n) + ")");
      expect_close(result[1], expected, 1e-6);
    }
  }
  const Tensor products = ops::associative_scan(
      [](const Tensor& a, const Tensor& b) { return a * b; }, Tensor{1.0, 2.0, 3.0, 4.0});
  expect_close(products, {1, 2, 6, 24});
  EXPECT_THROW(ops::associative_scan(affine, {ops::zeros({2}), ops::zeros({3})}), ValueError);
}

TEST(Mapping, IsOneGraphWhenTraced) {
  ir::Tracer tracer;
  const Tensor x = tracer.input({DType::float32, {8, 2}});
  const Tensor y = ops::map([](const Tensor& row) { return ops::exp(row); }, x);
  const Tensor z = ops::associative_scan(
      [](const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
        return std::vector<Tensor>{a[0] + b[0]};
      },
      {x})[0];
  EXPECT_EQ(y.shape().str(), "(8, 2)");
  EXPECT_EQ(z.shape().str(), "(8, 2)");
  EXPECT_FALSE(z.is_value());
  EXPECT_EQ(tracer.finish(Tensors{y, z}).graph.outputs.size(), 2U);
}

TEST(AssociativeScan, TheFunctionReturnsAllElements) {
  const Tensors xs = {ops::ones({5}), ops::ones({5})};
  EXPECT_THROW(
      ops::associative_scan([](const Tensors& a, const Tensors&) { return Tensors{a[0]}; }, xs),
      ValueError);
}

}  // namespace
}  // namespace antler
