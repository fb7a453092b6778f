#include "antler/ops/numpy/reductions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ops/linalg.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/numpy/statistics.h"
#include "ops/vectors.h"
#include "support/op_cases.h"

namespace antler {
namespace {

using test::check_gradients;
using test::expect_close;
using test::f32;
using test::random_tensor;
using test::tensor_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Reduce, Cases) { test::check_ops(test::reduce_cases()); }

TEST(Reduce, KeepsDimensionsAndTakesNegativeAxes) {
  const Tensor x = random_tensor(DType::float32, {2, 3, 5});
  EXPECT_EQ(ops::sum(x).shape(), Shape{});
  EXPECT_EQ(ops::sum(x, {}, {.keepdims = true}).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(ops::sum(x, {-1, 0}).shape(), (Shape{3}));
  EXPECT_EQ(ops::max(x, {1}, {.keepdims = true}).shape(), (Shape{2, 1, 5}));
  EXPECT_EQ(ops::argmax(x, -2).shape(), (Shape{2, 5}));
  EXPECT_EQ(ops::argmin(x, 0, {.keepdims = true}).shape(), (Shape{1, 3, 5}));
  EXPECT_EQ(ops::sum(3.0).item(), 3);
}

TEST(Reduce, IndicesWithoutAnAxisAreOfTheFlattenedArray) {
  const Tensor x({{1.0, 7.0, 2.0}, {9.0, 0.0, 3.0}});
  EXPECT_EQ(ops::argmax(x).shape(), Shape{});
  EXPECT_EQ(ops::argmax(x).item(), 3);
  EXPECT_EQ(ops::argmin(x).item(), 4);
  EXPECT_EQ(ops::argmax(x, {}, {.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(ops::argmax(5.0).item(), 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ops::nanargmax(Tensor({{1.0, 7.0}, {nan, 0.0}})).item(), 1);
  EXPECT_EQ(ops::nanargmin(Tensor({{nan, 7.0}, {9.0, 5.0}})).item(), 3);
}

TEST(Reduce, SumsNarrowTypesIn32Bits) {
  const Tensor u8 = tensor_of(DType::uint8, {2}, {200, 100});
  EXPECT_EQ(ops::sum(u8).dtype(), DType::uint32);
  EXPECT_EQ(ops::sum(u8).item(), 300);
  EXPECT_EQ(ops::prod(tensor_of(DType::int8, {2}, {100, 100})).item(), 10000);
  const Tensor flags = tensor_of(DType::boolean, {3}, {1, 0, 1});
  EXPECT_EQ(ops::sum(flags).dtype(), DType::int32);
  EXPECT_EQ(ops::sum(flags).item(), 2);
  EXPECT_EQ(ops::cumsum(flags, 0).dtype(), DType::int32);
  EXPECT_EQ(ops::cumsum(u8, 0).dtype(), DType::uint8);
  EXPECT_EQ(ops::max(u8).dtype(), DType::uint8);
  EXPECT_EQ(ops::mean(u8).dtype(), DType::float32);
  EXPECT_EQ(ops::mean(u8).item(), 150);
}

TEST(Reduce, Errors) {
  EXPECT_THROW(ops::sum(f32({1}), {1}), ValueError);
  EXPECT_THROW(ops::sum(random_tensor(DType::float32, {2, 2}), {0, -2}), ValueError);
  EXPECT_THROW(ops::max(Tensor::zeros(DType::float32, {0, 3}), {0}), ValueError);
  EXPECT_EQ(ops::max(Tensor::zeros(DType::float32, {0, 3}), {1}).shape(), Shape{0});
  EXPECT_THROW(ops::argmax(Tensor::zeros(DType::float32, {0})), ValueError);
  EXPECT_THROW(ops::top_k(f32({1, 2}), 3), ValueError);
  EXPECT_THROW(ops::cumsum(f32({1, 2}), 1), ValueError);
}

TEST(Reduce, Statistics) {
  const Tensor x = tensor_of(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 9});
  expect_close(ops::mean(x, {1}), {2, 6});
  expect_close(ops::variance(x, {1}), {2.0 / 3, 14.0 / 3});
  expect_close(ops::std(x, {1}, {.keepdims = true}), {std::sqrt(2.0 / 3), std::sqrt(14.0 / 3)});
  expect_close(ops::any(x, {1}), {1, 1});
  expect_close(ops::all(tensor_of(DType::int32, {2, 2}, {1, 2, 0, 1}), {1}), {1, 0});
  // A float16 sum of these would be infinite, a bfloat16 sum would stop at 256.
  EXPECT_EQ(ops::mean(Tensor::full(DType::float16, {1000}, 1000)).item(), 1000);
  EXPECT_EQ(ops::mean(Tensor::full(DType::bfloat16, {1000}, 1)).dtype(), DType::bfloat16);
  EXPECT_EQ(ops::mean(Tensor::full(DType::bfloat16, {1000}, 1)).item(), 1);
  check_gradients(
      [](const Tensors& v) {
        return Tensors{ops::variance(v[0], {1}), ops::std(v[0], {0})};
      },
      {random_tensor(DType::float64, {3, 5})});
}

TEST(Reduce, CumulativeFunctionsTakeTheirFlagsByName) {
  const Tensor x = f32({1, 3, 2});
  expect_close(ops::cumsum(x, 0, {.reverse = true}), {6, 5, 2});
  expect_close(ops::cumsum(x, 0, {.exclusive = true}), {0, 1, 4});
  expect_close(ops::cumsum(x, 0, {.reverse = true, .exclusive = true}), {5, 2, 0});
  expect_close(ops::cumprod(x, 0, {.exclusive = true}), {1, 1, 3});
  expect_close(ops::cumprod(x, 0, {.reverse = true}), {6, 6, 2});
  expect_close(ops::cummax(x, 0, {.reverse = true}), {3, 3, 2});
  expect_close(ops::cummin(x, 0, {.reverse = true}), {1, 2, 2});
}

TEST(Reduce, QuantilesAndNormsTakeTheirFlagsByName) {
  const Tensor x = tensor_of(DType::float32, {1, 4}, {1, 2, 4, 8});
  expect_close(ops::quantile(x, 0.5, {1}), {3});
  expect_close(ops::quantile(x, 0.5, {1}, {.method = "lower"}), {2});
  expect_close(ops::percentile(x, 50.0, {1}, {.method = "higher"}), {4});
  EXPECT_EQ(ops::quantile(x, 0.5, {1}, {.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(ops::median(x, {1}, {.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(ops::norm(x, 2, {1}, {.keepdims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(ops::norm(x, 2, {1}).shape(), (Shape{1}));
  EXPECT_EQ(ops::norm(x, {.axis = 1, .keepdims = true}).shape(), (Shape{1, 1}));
}

/// A flag by position: true alone does not say of what.
template <class T>
concept TakesPositionalFlags = requires(const T& x) {
  ops::sum(x, 0, true);
}
|| requires(const T& x) { ops::argmax(x, 0, true); }
|| requires(const T& x) { ops::cumsum(x, 0, true); }
|| requires(const T& x) { ops::median(x, 0, true); };
static_assert(!TakesPositionalFlags<Tensor>);

TEST(Reduce, LogSumExp) {
  expect_close(ops::logsumexp(f32({1000, 1000})), {1000 + std::log(2.0)});
  expect_close(ops::logsumexp(f32({-kInfinity, -kInfinity})), {-kInfinity});
  expect_close(ops::logsumexp(f32({-kInfinity, 1})), {1});
  expect_close(ops::logsumexp(f32({kInfinity, 1})), {kInfinity});
  EXPECT_EQ(ops::logsumexp(random_tensor(DType::float32, {2, 3}), {1}, {.keepdims = true}).shape(),
            (Shape{2, 1}));
  check_gradients(
      [](const Tensors& v) {
        return Tensors{ops::logsumexp(v[0], {1}), ops::logsumexp(v[0])};
      },
      {random_tensor(DType::float64, {3, 5})});
}

TEST(Reduce, EqualExtremaShareTheGradient) {
  const Tensor x = f32({3, 1, 3});
  GradientTape tape;
  tape.watch(x);
  expect_close(tape.gradient(ops::max(x), x), {0.5, 0, 0.5});
}

TEST(Reduce, FirstRecordTakesTheGradientOfRunningExtrema) {
  const Tensor x = f32({2, 1, 2, 5, 5});
  GradientTape tape;
  tape.watch(x);
  expect_close(tape.gradient(ops::cummax(x, 0), x), {3, 0, 0, 2, 0});
}

TEST(Reduce, ProductGradientsAreExactAtZeros) {
  const Tensor x = f32({2, 0, 3});
  GradientTape tape;
  tape.watch(x);
  expect_close(tape.gradient(ops::prod(x), x), {0, 6, 0});
}

TEST(Reduce, SortsAlongAnyAxis) {
  const Tensor x = tensor_of(DType::float32, {2, 2}, {4, 1, 3, 2});
  expect_close(ops::sort(x), {1, 4, 2, 3});
  expect_close(ops::sort(x, 0), {3, 1, 4, 2});
  expect_close(ops::argsort(x, -1, {.descending = true}), {0, 1, 0, 1});
  const ops::TopK top = ops::top_k(x, 1);
  expect_close(top.values, {4, 3});
  expect_close(top.indices, {0, 0});
  // NaN is never among the largest.
  const Tensor predictions =
      f32({0.1F, std::numeric_limits<float>::quiet_NaN(), 0.5F, 0.3F, 0.2F, 0.5F}).reshape({2, 3});
  const Tensor targets = tensor_of(DType::int32, {2}, {1, 0});
  expect_close(ops::in_top_k(targets, predictions, 2), {0, 1});
  expect_close(ops::in_top_k(tensor_of(DType::int32, {2}, {3, 2}), predictions, 3), {0, 1});
}

}  // namespace
}  // namespace antler
