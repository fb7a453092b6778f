#include "antler/ops/by_name.h"

#include <gtest/gtest.h>

#include "antler/ops/ops.h"
#include "support/op_harness.h"

// Arguments by name are the same as by position.
namespace antler {
namespace {

void expect_same(const Tensor& by_name, const Tensor& by_position) {
  EXPECT_EQ(by_name.shape(), by_position.shape());
  EXPECT_EQ(by_name.dtype(), by_position.dtype());
  EXPECT_EQ(by_name.to_doubles(), by_position.to_doubles());
}

Tensor small_matrix() { return test::random_tensor(DType::float32, {3, 4}, 0.5, 2); }
Tensor small_image() { return test::random_tensor(DType::float32, {1, 6, 6, 2}); }

TEST(ArgumentsByName, OfReductions) {
  const Tensor x = small_matrix();
  expect_same(ops::sum(x, {.axis = -1}), ops::sum(x, -1));
  expect_same(ops::mean(x, {.axis = 0, .keepdims = true}), ops::mean(x, 0, {.keepdims = true}));
  expect_same(ops::var(x, {.axis = {0, 1}, .keepdims = true}),
              ops::var(x, {0, 1}, {.keepdims = true}));
  expect_same(ops::max(x, {.keepdims = true}), ops::max(x, {}, {.keepdims = true}));
  expect_same(ops::prod(x, {}), ops::prod(x));
  expect_same(ops::std(x, {1}), ops::std(x, 1));
  expect_same(ops::median(x, {.axis = 1, .keepdims = true}), ops::median(x, 1, {.keepdims = true}));
  expect_same(ops::argmax(x, {.axis = 0}), ops::argmax(x, 0));
  expect_same(ops::argmin(x, {.keepdims = true}), ops::argmin(x, -1, {.keepdims = true}));
  expect_same(ops::average(x, {.axis = 1, .weights = Tensor({1.0, 2.0, 3.0, 4.0})}),
              ops::average(x, 1, {.weights = Tensor({1.0, 2.0, 3.0, 4.0})}));
  expect_same(ops::quantile(x, 0.3, {.axis = 1, .method = "nearest", .keepdims = true}),
              ops::quantile(x, 0.3, 1, {.method = "nearest", .keepdims = true}));
  expect_same(ops::cumsum(x, {.axis = 1, .reverse = true}), ops::cumsum(x, 1, {.reverse = true}));
  expect_same(ops::segment_sum(x, Tensor({0, 2, 0}), {.num_segments = 4}),
              ops::segment_sum(x, Tensor({0, 2, 0}), 4));
  expect_same(ops::diff(x, {.n = 2, .axis = 0}), ops::diff(x, 2, 0));
}

TEST(ArgumentsByName, OfManipulation) {
  const Tensor x = small_matrix();
  expect_same(ops::concatenate({x, x}, {.axis = 1}), ops::concatenate({x, x}, 1));
  expect_same(ops::stack({x, x}, {.axis = 2}), ops::stack({x, x}, 2));
  expect_same(ops::expand_dims(x, {.axis = 0}), ops::expand_dims(x, 0));
  expect_same(ops::squeeze(ops::expand_dims(x, 0), {.axis = 0}), x);
  expect_same(ops::split(x, 2, {.axis = 1})[1], ops::split(x, 2, 1)[1]);
  expect_same(ops::take(x, Tensor({2, 0}), {.axis = 1}), ops::take(x, Tensor({2, 0}), 1));
  expect_same(ops::repeat(x, 2, {.axis = 1}), ops::repeat(x, 2, 1));
  expect_same(ops::roll(x, 1, {.axis = 0}), ops::roll(x, 1, 0));
  expect_same(ops::sort(x, {.axis = 0, .descending = true}), ops::sort(x, 0, {.descending = true}));
  expect_same(ops::top_k(x, 2, {.sorted = false}).values, ops::top_k(x, 2).values);
  expect_same(ops::pad(x, {{1, 0}, {0, 2}}, {.constant_values = 7}),
              ops::pad(x, {{1, 0}, {0, 2}}, "constant", 7));
  expect_same(ops::pad(x, {{1, 0}, {0, 2}}, {.mode = "reflect"}),
              ops::pad(x, {{1, 0}, {0, 2}}, "reflect"));
  expect_same(ops::tril(x, {.k = 1}), ops::tril(x, 1));
  expect_same(ops::trace(x, {.offset = 1}), ops::trace(x, 1));
  expect_same(ops::rot90(x, {.k = 3, .axes = {1, 0}}), ops::rot90(x, 3, 1, 0));
  expect_same(ops::zeros_like(x, {.dtype = "int32"}), ops::zeros(x.shape(), "int32"));
  expect_same(ops::identity(3, {.dtype = "int32"}), ops::identity(3, DType::int32));
}

TEST(ArgumentsByName, OfNeuralNetworks) {
  const Tensor x = small_matrix();
  expect_same(ops::softmax(x, {.axis = 0}), ops::softmax(x, 0));
  expect_same(ops::leaky_relu(-x, {.negative_slope = 0.3}), ops::leaky_relu(-x, 0.3));
  expect_same(ops::elu(-x, {.alpha = 0.5}), ops::elu(-x, 0.5));
  expect_same(ops::normalize(x, {.axis = 0, .order = 3}), ops::normalize(x, 0, 3));
  expect_same(ops::layer_normalization(x, {}, {}, {.axis = 0, .epsilon = 0.1}),
              ops::layer_normalization(x, {}, {}, 0, 0.1));
  const Tensor kernel = test::random_tensor(DType::float32, {3, 3, 2, 4}, -1, 1, 2);
  const Tensor y = small_image();
  expect_same(ops::conv(y, kernel, {.strides = 2, .padding = "same"}),
              ops::conv(y, kernel, ops::conv_dims(y, kernel, {2}, "same")));
  expect_same(ops::max_pool(y, 2, {.strides = 1}), ops::max_pool(y, {2, 2}, {.strides = {1, 1}}));
  expect_same(ops::pad_images(y, {.top_padding = 1, .right_padding = 2}),
              ops::pad_images(y, ops::ImageSides{.top = 1, .right = 2}));
  expect_same(ops::crop_images(y, {.target_height = 3, .target_width = 4}),
              ops::crop_images(y, ops::ImageSides{.target_height = 3, .target_width = 4}));
}

}  // namespace
}  // namespace antler
