#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "support/elements.h"
#include "support/op_cases.h"

// Figures named "Keras" were computed with keras.ops of Keras 3.15 on JAX.
namespace antler {
namespace {

using test::expect_close;

/// (i % period - shift) / divisor for element i.
Tensor pattern(const Shape& shape, int64_t period, int64_t shift, double divisor) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(static_cast<double>(i % period - shift) / divisor);
  }
  return test::tensor_of(DType::float32, shape, values);
}

const Tensor& image() {
  static const Tensor x = pattern({1, 5, 4, 2}, 7, 3, 2);
  return x;
}
const Tensor& kernel() {
  static const Tensor w = pattern({3, 2, 2, 2}, 5, 2, 4);
  return w;
}

ops::ConvDims same(int64_t stride, int64_t dilation) {
  const ops::Padding rows = ops::same_padding(5, 3, stride, dilation);
  const ops::Padding columns = ops::same_padding(4, 2, stride, dilation);
  return {.strides = {stride, stride},
          .pad_low = {rows.low, columns.low},
          .pad_high = {rows.high, columns.high},
          .rhs_dilation = {dilation, dilation}};
}

TEST(Conv, Cases) { test::check_ops(test::conv_cases()); }
TEST(Window, Cases) { test::check_ops(test::window_cases()); }

TEST(Conv, KerasValid) {
  const Tensor y = ops::conv(image(), kernel(), {});
  EXPECT_EQ(y.shape(), (Shape{1, 3, 3, 2}));
  expect_close(y, {0.625, -0.125, 0.125, -1.0, -0.375, -1.0, 0.375, -0.125, -0.125, 1.625, 0.25,
                   1.625, 0.125, -1.0, -0.375, -1.0, -0.875, -1.0});
}

TEST(Conv, KerasSameWithStrides) {
  const Tensor y = ops::conv(image(), kernel(), same(2, 1));
  EXPECT_EQ(y.shape(), (Shape{1, 3, 2, 2}));
  expect_close(y, {0.25, -0.75, -0.25, 2.0, 0.375, -0.125, 0.25, 1.625, -1.0, 0.75, 0.75, -0.25});
}

TEST(Conv, KerasSameWithDilation) {
  const Tensor y = ops::conv(image(), kernel(), same(1, 2));
  EXPECT_EQ(y.shape(), (Shape{1, 5, 4, 2}));
  expect_close(y, {-0.25,  0.0,    0.0,    -1.625, -0.25,  1.5,    -1.125, -0.75,  -0.25, -0.125,
                   1.625,  -0.5,   -0.375, 0.875,  -0.375, -0.375, -0.5,   -0.875, 0.5,   1.375,
                   0.0,    -1.25,  1.0,    1.0,    0.625,  -0.5,   -0.125, -0.375, -1.0,  0.875,
                   -0.375, -0.375, -0.75,  0.875,  0.75,   -0.625, 0.75,   1.5,    -0.75, -1.125});
}

TEST(Conv, DtypesAndErrors) {
  const Tensor integers = ops::arange(0, 6);
  const Tensor y = ops::conv(ops::reshape(integers, {1, 6, 1}), pattern({2, 1, 1}, 2, 0, 1), {});
  EXPECT_EQ(y.dtype(), DType::float32);
  expect_close(y, {1, 2, 3, 4, 5});
  EXPECT_THROW(ops::conv(image(), pattern({3, 2, 3, 2}, 5, 2, 4), {}), ValueError);
  EXPECT_THROW(ops::conv(image(), kernel(), {.strides = {1}}), ValueError);
  EXPECT_THROW(ops::conv(image(), kernel(), {.strides = {0, 1}}), ValueError);
  EXPECT_THROW(ops::conv(image(), kernel(), {.groups = 2}), ValueError);
  EXPECT_THROW(ops::conv(integers, kernel(), {}), ValueError);
}

TEST(Conv, SamePadding) {
  // Keras: out = ceil(size / stride), the odd element goes to the end.
  EXPECT_EQ(ops::same_padding(5, 2, 1).low, 0);
  EXPECT_EQ(ops::same_padding(5, 2, 1).high, 1);
  EXPECT_EQ(ops::same_padding(5, 3, 2).low, 1);
  EXPECT_EQ(ops::same_padding(6, 3, 2).low, 0);
  EXPECT_EQ(ops::same_padding(6, 3, 2).high, 1);
  EXPECT_EQ(ops::same_padding(7, 3, 1, 2).low, 2);
  EXPECT_EQ(ops::same_padding(4, 1, 3).high, 0);
}

TEST(Window, Errors) {
  EXPECT_THROW(ops::reduce_window(image(), ops::WindowOp::max, {.window = {2, 2}}), ValueError);
  EXPECT_THROW(ops::reduce_window(image(), ops::WindowOp::max, {.window = {1, 0, 2, 1}}),
               ValueError);
  EXPECT_THROW(
      ops::reduce_window(ops::zeros({3}, DType::boolean), ops::WindowOp::max, {.window = {2}}),
      TypeError);
}

TEST(Pooling, KerasMaxSame) {
  const Tensor y = ops::max_pool(image(), {3, 2}, {.strides = {2, 2}, .padding = "same"});
  EXPECT_EQ(y.shape(), (Shape{1, 3, 2, 2}));
  expect_close(y, {0.0, 0.5, 1.5, 1.5, 1.0, 1.5, 1.5, 1.5, 1.5, 1.5, 0.0, 0.5});
}

TEST(Pooling, KerasAverage) {
  const Tensor same = ops::average_pool(image(), {3}, {.strides = {2}, .padding = "same"});
  EXPECT_EQ(same.shape(), (Shape{1, 3, 2, 2}));
  expect_close(same, {-0.25, 0.25, 0.375, 0.0, 0.1111111, 0.2222222, -0.3333333, -0.4166667,
                      0.08333334, 0.0, -0.75, -0.25});
  const Tensor valid = ops::average_pool(image(), {2, 2}, {.strides = {2, 1}, .padding = "valid"});
  EXPECT_EQ(valid.shape(), (Shape{1, 2, 3, 2}));
  expect_close(valid,
               {-0.75, -0.25, 0.25, 0.75, 0.375, 0.0, 0.25, 0.75, 0.375, 0.0, -0.375, -0.75});
}

TEST(Pooling, Gradients) {
  const Tensor x = test::random_tensor(DType::float64, {1, 5, 4, 2});
  test::check_gradients(
      [](const Tensors& xs) -> Tensors {
        return {ops::max_pool(xs[0], {3, 2}, {.strides = {2}, .padding = "same"})};
      },
      {x});
  test::check_gradients(
      [](const Tensors& xs) -> Tensors {
        return {ops::average_pool(xs[0], {3, 2}, {.strides = {2}, .padding = "same"})};
      },
      {x});
}

TEST(Pooling, Errors) {
  EXPECT_THROW(ops::max_pool(image(), {2}, {.padding = "full"}), ValueError);
  EXPECT_THROW(ops::max_pool(image(), {2, 2, 2}), ValueError);
  EXPECT_THROW(ops::max_pool(image(), {0}), ValueError);
  EXPECT_THROW(ops::average_pool(ops::zeros({3, 2}), {2}), ValueError);
}

}  // namespace
}  // namespace antler
