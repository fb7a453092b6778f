#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/core/variable.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

void expect(const Tensor& x, const Shape& shape, const std::vector<double>& values) {
  EXPECT_EQ(x.shape(), shape);
  EXPECT_EQ(x.to_doubles(), values);
}

// The figures are NumPy's, of x = numpy.arange(24).reshape(2, 3, 4).
TEST(GetItem, FollowsNumPy) {
  const Tensor x = ops::reshape(ops::arange(24), {2, 3, 4});
  expect(x[1], {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  expect(x[{-1, 0}], {4}, {12, 13, 14, 15});
  expect(x[{Slice(), 1}], {2, 4}, {4, 5, 6, 7, 16, 17, 18, 19});
  expect(x[{Ellipsis, -1}], {2, 3}, {3, 7, 11, 15, 19, 23});
  expect(x[{0, Slice(1, 3), Slice(None, None, 2)}], {2, 2}, {4, 6, 8, 10});
  expect(x[{Slice(), Slice(None, None, -1), 0}], {2, 3}, {8, 4, 0, 20, 16, 12});
  expect(x[{0, Slice(-1, 0, -1), 1}], {2}, {9, 5});
  expect(x[{0, NewAxis, 1, Slice(1, None)}], {1, 3}, {5, 6, 7});
  expect(x[{0, 0, Slice(7, 9)}], {0}, {});
  expect(x[{1, 2, Slice(2)}], {2}, {20, 21});
  expect(x[{1, 2, Slice(-1)}], {3}, {20, 21, 22});
  expect(x[{1, 2, Slice(2, None)}], {2}, {22, 23});
  expect(x[{1, 2, Slice(None, 1)}], {1}, {20});
  constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();
  expect(x[{1, 2, Slice(1, None, kLongest)}], {1}, {21});
  expect(x[{1, 2, Slice(None, None, -kLongest - 1)}], {1}, {23});
  expect(x[{0, 1, None, Slice(2)}], {1, 2}, {4, 5});
  expect(x[{Ellipsis, NewAxis, Slice(3, 0, -2)}][0], {3, 1, 2}, {3, 1, 7, 5, 11, 9});
}

TEST(GetItem, RefusesWhatIsNotThere) {
  const Tensor x = ops::zeros({2, 3});
  EXPECT_THROW(x[2], IndexError);
  EXPECT_THROW((x[{0, -4}]), IndexError);
  EXPECT_THROW((x[{0, 0, 0}]), ValueError);
  EXPECT_THROW((x[{Ellipsis, Ellipsis}]), ValueError);
  EXPECT_THROW(x[Slice(0, 1, 0)], ValueError);
}

TEST(GetItem, IsDifferentiable) {
  const Tensor x = Tensor::of({1.F, 2.F, 3.F});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x[-1] * x[Slice(0, 2)][1];
  expect(tape.gradient(y, x), {3}, {0, 3, 2});
}

TEST(Operators, AreOps) {
  Tensor x = Tensor::of({1.F, 2.F, 3.F});
  const Tensor before = x;
  x += 1;
  x *= 2;
  x -= Tensor::of({1.F, 1.F, 1.F});
  x /= 2;
  expect(x, {3}, {1.5, 2.5, 3.5});
  expect(before, {3}, {1, 2, 3});
  expect(x > 2, {3}, {0, 1, 1});
  expect(x <= 2.5, {3}, {1, 1, 0});
  expect(x == 2.5, {3}, {0, 1, 0});
  expect(x != before, {3}, {1, 1, 1});
  expect(1.5 < x, {3}, {0, 1, 1});
  expect(before >= x, {3}, {0, 0, 0});
}

TEST(Axes, AreANumberOrAList) {
  const Tensor x = Tensor::of({{1.F, 2.F}, {3.F, 4.F}});
  expect(ops::sum(x, -1), {2}, {3, 7});
  expect(ops::sum(x, 0, {.keepdims = true}), {1, 2}, {4, 6});
  expect(ops::sum(x, {0, 1}), {}, {10});
  expect(ops::sum(x), {}, {10});
  static_assert(!std::is_constructible_v<ops::Axes, bool>);
}

// numpy.arange
TEST(Arange, CountsInFractions) {
  expect(ops::arange(3), {3}, {0, 1, 2});
  expect(ops::arange(0, 1, 0.25), {4}, {0, 0.25, 0.5, 0.75});
  expect(ops::arange(0.5, 3, 1), {3}, {0.5, 1.5, 2.5});
  expect(ops::arange(0.5, 3), {3}, {0.5, 1.5, 2.5});
  expect(ops::arange(0, 2.5, {.dtype = "float64"}), {3}, {0, 1, 2});
  EXPECT_EQ(ops::arange(2.5).dtype(), DType::float32);
  EXPECT_EQ(ops::arange(2.5).size(), 3);
  expect(ops::arange(1, 0, -0.5, {.dtype = DType::float64}), {2}, {1, 0.5});
  EXPECT_EQ(ops::arange(0, 500, 0.1F).size(), 5000);
  EXPECT_THROW(ops::arange(0, 1, 0.0), ValueError);
}

TEST(VariableAssign, AddsAndSubtracts) {
  const Variable v(Tensor::of({1.F, 2.F}));
  v.assign_add(1);
  v.assign_sub(Tensor::of({0.5F, 0.5F}));
  expect(v, {2}, {1.5, 2.5});
}

}  // namespace
}  // namespace antler
