#include "antler/ops/numpy/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "ops/vectors.h"
#include "support/op_cases.h"

namespace antler {
namespace {

using test::check_gradients;
using test::expect_close;
using test::f32;
using test::random_tensor;
using test::tensor_of;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor i32(const std::vector<double>& values) {
  return tensor_of(DType::int32, {static_cast<int64_t>(values.size())}, values);
}
Tensor boolean(const std::vector<double>& values) {
  return tensor_of(DType::boolean, {static_cast<int64_t>(values.size())}, values);
}

/// d(sum of f(x)) / dx.
template <class F>
Tensor gradient(const F& f, const Tensor& x) {
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(f(x), x);
}

TEST(Elementwise, Cases) { test::check_ops(test::elementwise_cases()); }

TEST(Elementwise, PromotesAsKeras) {
  const auto dtype = [](const Tensor& t) { return t.dtype(); };
  const Tensor i8 = Tensor::zeros(DType::int8, {2});
  const Tensor u8 = Tensor::zeros(DType::uint8, {2});
  const Tensor i64 = Tensor::zeros(DType::int64, {2});
  const Tensor b = Tensor::zeros(DType::boolean, {2});
  const Tensor bf = Tensor::zeros(DType::bfloat16, {2});
  const Tensor f16 = Tensor::zeros(DType::float16, {2});
  const Tensor f = Tensor::zeros(DType::float32, {2});
  EXPECT_EQ(dtype(ops::add(i8, u8)), DType::int16);
  EXPECT_EQ(dtype(ops::add(i64, f)), DType::float32);
  EXPECT_EQ(dtype(ops::add(bf, f16)), DType::float32);
  EXPECT_EQ(dtype(ops::add(b, b)), DType::boolean);
  EXPECT_EQ(dtype(ops::divide(i64, i64)), DType::float32);
  EXPECT_EQ(dtype(ops::divide(bf, i64)), DType::bfloat16);
  EXPECT_EQ(dtype(ops::sqrt(i8)), DType::float32);
  EXPECT_EQ(dtype(ops::floor(b)), DType::float32);
  EXPECT_EQ(dtype(ops::round(i8)), DType::int8);
  EXPECT_EQ(dtype(ops::trunc(b)), DType::boolean);
  EXPECT_EQ(dtype(ops::absolute(b)), DType::boolean);
  EXPECT_EQ(dtype(ops::square(b)), DType::int32);
  EXPECT_EQ(dtype(ops::mod(b, b)), DType::int32);
  EXPECT_EQ(dtype(ops::power(b, b)), DType::int32);
  EXPECT_EQ(dtype(ops::clip(b, 0, 1)), DType::int32);
  EXPECT_EQ(dtype(ops::logaddexp(i8, i8)), DType::float32);
}

TEST(Elementwise, WeakScalarsTakeTheDtypeOfTheOtherOperand) {
  const Tensor bf = Tensor::full(DType::bfloat16, {2}, 3);
  EXPECT_EQ(ops::add(bf, 1.5).dtype(), DType::bfloat16);
  EXPECT_EQ(ops::add(1, bf).dtype(), DType::bfloat16);
  const Tensor i8 = Tensor::full(DType::int8, {2}, 3);
  EXPECT_EQ(ops::multiply(i8, 2).dtype(), DType::int8);
  EXPECT_EQ(ops::multiply(i8, 2.5).dtype(), DType::float32);
  EXPECT_FALSE(ops::multiply(2.0, 3).is_weak());
  EXPECT_EQ(ops::multiply(2.0, 3).item(), 6);
  expect_close(2.0 - i32({1, 2}), {1, 0});
  const auto large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(ops::add(Tensor::zeros(DType::int64, {1}), large).data<int64_t>()[0], large);
  EXPECT_FALSE(ops::cast(1.5, DType::float32).is_weak());
  EXPECT_EQ(ops::add(Tensor::zeros(DType::float64, {1}), 0.1).to_doubles()[0], 0.1);
}

TEST(Elementwise, Broadcasts) {
  const Tensor column = tensor_of(DType::float32, {2, 1}, {10, 20});
  const Tensor sum = column + f32({1, 2, 3});
  EXPECT_EQ(sum.shape(), (Shape{2, 3}));
  expect_close(sum, {11, 12, 13, 21, 22, 23});
  EXPECT_EQ((column + Tensor::zeros(DType::float32, {2, 0})).shape(), (Shape{2, 0}));
  check_gradients(
      [](const Tensors& v) { return Tensors{v[0] * v[1]}; },
      {random_tensor(DType::float64, {2, 1}), random_tensor(DType::float64, {3, 1, 5})});
}

TEST(Elementwise, ErrorsNameOpAndShapes) {
  const auto message = [](const auto& f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.class_name()) + ": " + e.what();
    }
    return std::string();
  };
  const Tensor a = Tensor::zeros(DType::float32, {2, 3});
  const Tensor b = Tensor::zeros(DType::float32, {2, 4});
  EXPECT_EQ(message([&] { ops::multiply(a, b); }),
            "ValueError: ops::multiply: operands could not be broadcast together. Received shapes "
            "(2, 3) and (2, 4); "
            "expected equal sizes or 1 in every dimension, counted from the last.");
  EXPECT_EQ(message([&] { ops::bitwise_and(a, a); }),
            "TypeError: ops::and: expected operands of integer or bool dtype. Received: float32.");
  EXPECT_EQ(message([&] { ops::subtract(boolean({1}), boolean({0})); }),
            "TypeError: ops::sub: expected operands of floating or integer dtype. Received: bool.");
  EXPECT_EQ(
      message([&] { ops::bitcast(a, DType::float64); }),
      "ValueError: ops::bitcast: expected dtypes of the same size. Received: float32 and float64.");
  EXPECT_EQ(message([&] { ops::exp(Tensor()); }),
            "ValueError: ops::exp: an argument is an undefined tensor.");
  EXPECT_EQ(message([&] { ops::add(Tensor(), a); }),
            "ValueError: ops::add: an argument is an undefined tensor.");
}

TEST(Elementwise, FloorDivideAndModHaveTheSignOfTheDivisor) {
  expect_close(ops::floor_divide(i32({7, -7, 7, -7}), i32({2, 2, -2, -2})), {3, -4, -4, 3});
  expect_close(ops::mod(i32({7, -7, 7, -7}), i32({2, 2, -2, -2})), {1, 1, -1, -1});
  expect_close(ops::floor_divide(f32({3, -5, 7}), 2.5), {1, -2, 2});
  expect_close(ops::mod(f32({3, -5, 7}), 2.5), {0.5, 0, 2});
  expect_close(ops::mod(f32({5, -5.5}), -3.0), {-1, -2.5});
  expect_close(ops::floor_divide(f32({5, -5, 0}), 0.0), {kInf, -kInf, kNaN});
  const Tensor u8 = tensor_of(DType::uint8, {2}, {200, 7});
  expect_close(ops::floor_divide(u8, 3), {66, 2});
  expect_close(ops::mod(u8, 3), {2, 1});
  const Tensors operands = {random_tensor(DType::float64, {7}, -9, 9),
                            random_tensor(DType::float64, {7}, 1.1, 3, 2)};
  check_gradients([](const Tensors& v) { return Tensors{ops::mod(v[0], v[1])}; }, operands);
}

TEST(Elementwise, DivideNoNan) {
  expect_close(ops::divide_no_nan(f32({1, 0, 6}), f32({0, 0, 3})), {0, 0, 2});
  const Tensor g =
      gradient([](const Tensor& y) { return ops::divide_no_nan(1.0, y); }, f32({0, 2}));
  expect_close(g, {0, -0.25});
}

TEST(Elementwise, ExtremaSplitTheGradientOfTies) {
  const auto relu = [](const Tensor& x) { return ops::maximum(x, 0); };
  expect_close(gradient(relu, f32({-1, 0, 2})), {0, 0.5, 1});
  const auto upper = [](const Tensor& x) { return ops::minimum(x, 1); };
  expect_close(gradient(upper, f32({0.5, 1, 2})), {1, 0.5, 0});
  const auto both = [](const Tensor& x) { return ops::maximum(x, x); };
  expect_close(gradient(both, f32({3})), {1});
  expect_close(ops::clip(f32({-2, 0.5, 2}), 0, 1), {0, 0.5, 1});
}

TEST(Elementwise, GradientsWhereTheFunctionBends) {
  expect_close(gradient([](const Tensor& x) { return ops::absolute(x); }, f32({-2, 0, 3})),
               {-1, 0, 1});
  expect_close(gradient([](const Tensor& x) { return ops::sqrt(x); }, f32({0, 4})), {kInf, 0.25});
  EXPECT_FALSE(gradient([](const Tensor& x) { return ops::floor(x); }, f32({1.5})).defined());
  EXPECT_FALSE(
      gradient([](const Tensor& x) { return ops::stop_gradient(x); }, f32({1.5})).defined());
}

TEST(Elementwise, PowerHasFiniteGradientsAtZero) {
  const auto by_base = [](double y) {
    return [y](const Tensor& x) { return ops::power(x, Tensor::full(DType::float32, {1}, y)); };
  };
  expect_close(gradient(by_base(0), f32({0})), {0});
  expect_close(gradient(by_base(1), f32({0})), {1});
  expect_close(gradient(by_base(2), f32({0})), {0});
  expect_close(gradient(by_base(3), f32({-2})), {12});
  const auto by_exponent = [](double x) {
    return [x](const Tensor& y) { return ops::power(Tensor::full(DType::float32, {1}, x), y); };
  };
  expect_close(gradient(by_exponent(0), f32({2})), {0});
  expect_close(gradient(by_exponent(-2), f32({2})), {0});
  const auto slope = [&](const Tensor& x) { return gradient(by_base(2), x); };
  expect_close(gradient(slope, f32({0})), {2});
  check_gradients(
      [](const Tensors& v) {
        return Tensors{ops::power(v[0], 2), ops::power(v[0], 3.0)};
      },
      {random_tensor(DType::float64, {5}, -2, 2)});
}

TEST(Elementwise, LogAddExp) {
  expect_close(ops::logaddexp(f32({0, 1000, -kInf, -kInf, kInf}), f32({0, 0, 1, -kInf, kInf})),
               {std::log(2.0), 1000, 1, -kInf, kInf});
  const Tensor g = gradient(
      [](const Tensor& x) {
        return ops::logaddexp(x, f32({0, -kInf}));
      },
      f32({0, 2}));
  expect_close(g, {0.5, 1});
  check_gradients(
      [](const Tensors& v) { return Tensors{ops::logaddexp(v[0], v[1])}; },
      {random_tensor(DType::float64, {7}, -3, 3), random_tensor(DType::float64, {7}, -3, 3, 2)});
}

TEST(Elementwise, SelectionsOfNumbers) {
  expect_close(ops::isnan(f32({kNaN, kInf, 1})), {1, 0, 0});
  expect_close(ops::isinf(f32({kNaN, -kInf, 1})), {0, 1, 0});
  expect_close(ops::isfinite(i32({0, 1})), {1, 1});
  expect_close(ops::isinf(i32({0, 1})), {0, 0});
  expect_close(ops::where(f32({0, 0.5}), 1, 2.0), {2, 1});
  EXPECT_EQ(ops::where(boolean({0, 1}), i32({1, 2}), 2.5).dtype(), DType::float32);
  EXPECT_EQ(ops::where(tensor_of(DType::boolean, {2, 1}, {0, 1}), f32({1, 2, 3}), 0).shape(),
            (Shape{2, 3}));
}

TEST(Elementwise, Logarithms) {
  expect_close(ops::log2(f32({8, 0.5})), {3, -1});
  expect_close(ops::log10(f32({1000, 0.01})), {3, -2});
  expect_close(ops::reciprocal(i32({4})), {0.25});
  expect_close(ops::squared_difference(f32({1, 5}), 3), {4, 4});
}

TEST(Elementwise, LogicConvertsToBool) {
  expect_close(ops::logical_and(f32({0, 0.5, 2}), i32({1, 3, 0})), {0, 1, 0});
  expect_close(ops::logical_or(f32({0, 0.5, 0}), i32({1, 3, 0})), {1, 1, 0});
  expect_close(ops::logical_xor(f32({0, 0.5}), true), {1, 0});
  expect_close(ops::logical_not(f32({0, 2})), {1, 0});
}

// The derivative of digamma is a composite of ops; far from 1 its parts differ.
TEST(Elementwise, HigherDerivativesOfLgamma) {
  check_gradients([](const Tensors& v) { return Tensors{ops::digamma(v[0])}; },
                  {tensor_of(DType::float64, {6}, {-1.3, -0.4, 0.3, 0.9, 4.5, 30})});
  const auto second = [](const Tensor& x) {
    return gradient(
        [](const Tensor& y) { return gradient([](const Tensor& z) { return ops::lgamma(z); }, y); },
        x);
  };
  const double trigamma_of_1 = 1.6449340668482264;
  expect_close(second(tensor_of(DType::float64, {2}, {1, 2})), {trigamma_of_1, trigamma_of_1 - 1});
}

TEST(Elementwise, TrivialConversionsAddNothing) {
  const Tensor x = f32({1});
  EXPECT_EQ(ops::cast(x, DType::float32).id(), x.id());
  EXPECT_EQ(ops::bitcast(x, DType::float32).id(), x.id());
}

}  // namespace
}  // namespace antler
