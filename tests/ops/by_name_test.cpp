#include "antler/ops/by_name.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/ops.h"
#include "support/op_harness.h"

// Arguments by name are the same as by position.
namespace antler {
namespace {

using test::expect_close;

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
  expect_same(ops::argmin(x, {.keepdims = true}), ops::argmin(x, {}, {.keepdims = true}));
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

// Expected values below were computed with Keras 3.15.1 on JAX.

Tensor numbers() { return Tensor({{1.0, 2.0, 4.0}, {0.0, -1.0, 3.0}}); }

std::vector<double> values(const Tensor& x) { return x.to_doubles(); }

TEST(ArgumentsByName, OfNormalizations) {
  const Tensor x = numbers();
  const Tensor gamma = {1.0, 2.0, 3.0};
  expect_close(ops::layer_normalization(x, {.epsilon = 0.5}),
               {-0.929981, -0.232495, 1.162476, -0.362143, -0.905357, 1.267500}, 2e-6);
  expect_close(ops::layer_normalization(x, {.axis = 0, .epsilon = 0.5}),
               {0.577350, 0.904534, 0.577350, -0.577350, -0.904534, -0.577350}, 2e-6);
  expect_close(
      ops::layer_normalization(
          x, {.gamma = gamma, .beta = Tensor({0.0, 1.0, 0.0}), .axis = -1, .epsilon = 1e-3}),
      {-1.068702, 0.465649, 4.007631, -0.392164, -0.960822, 4.117726}, 2e-6);
  expect_same(ops::layer_normalization(x), ops::layer_normalization(x, {}, {}));
  expect_close(ops::rms_normalization(x, {.epsilon = 0.5}),
               {0.365148, 0.730297, 1.460594, 0, -0.510754, 1.532262}, 2e-6);
  expect_close(ops::rms_normalization(x, {.scale = gamma, .axis = -1, .epsilon = 0.5}),
               {0.365148, 1.460594, 4.381780, 0, -1.021508, 4.596786}, 2e-6);
  expect_same(ops::rms_normalization(x, gamma), ops::rms_normalization(x, {.scale = gamma}));
  expect_close(ops::batch_normalization(
                   x, Tensor({1.0, 2.0}), Tensor({4.0, 1.0}), 0,
                   {.offset = Tensor({1.0, 0.0}), .scale = Tensor({2.0, 3.0}), .epsilon = 0}),
               {1, 2, 4, -6, -9, 3}, 2e-6);
  expect_close(ops::batch_normalization(x, gamma, Tensor({4.0, 1.0, 1.0}), -1),
               {0, 0, 0.9995, -0.499938, -2.998501, 0}, 2e-6);
}

TEST(ArgumentsByName, OfConversions) {
  const Tensor x = numbers();
  expect_same(ops::cast(x, {.dtype = "int32"}), Tensor({{1, 2, 4}, {0, -1, 3}}));
  EXPECT_EQ(ops::saturate_cast(Tensor({-3.0, 300.0, 7.0}), "uint8").to_vector<uint8_t>(),
            (std::vector<uint8_t>{0, 255, 7}));
  expect_same(ops::saturate_cast(x, {.dtype = "uint8"}), ops::saturate_cast(x, DType::uint8));
  EXPECT_EQ(ops::view(x, "int32").dtype(), DType::int32);
  expect_same(ops::convert_to_tensor({1, 2}, {.dtype = "float32"}), Tensor({1.0, 2.0}));
  expect_same(ops::convert_to_tensor(x, {.dtype = "float64"}), ops::cast(x, "float64"));
  expect_same(ops::convert_to_tensor(std::vector<int>{1, 2}, {.dtype = "float32"}),
              Tensor({1.0, 2.0}));
  expect_same(ops::array({1, 2}, {.dtype = "float32"}), Tensor({1.0, 2.0}));
  expect_same(ops::zeros_like(x, "int32"), ops::zeros({2, 3}, "int32"));
  expect_same(ops::ones_like(x, "int32"), ops::ones({2, 3}, "int32"));
  expect_same(ops::full_like(Tensor({1, 2}), 1.5, "float32"), Tensor({1.5, 1.5}));
  expect_same(ops::full_like(Tensor({1, 2}), 1.5, {.dtype = "float32"}), Tensor({1.5, 1.5}));
  EXPECT_EQ(ops::empty_like(x, {.dtype = "int32"}).dtype(), DType::int32);
  expect_same(ops::identity(2, "int32"), Tensor({{1, 0}, {0, 1}}));
  expect_same(ops::tri(3, 2, {.k = -1, .dtype = "int32"}), Tensor({{0, 0}, {1, 0}, {1, 1}}));
  expect_same(ops::tri(3, {.k = 1}), ops::tri(3, 3, 1));
  expect_same(ops::vander(Tensor({2.0, 3.0}), {.N = 3, .increasing = true}),
              Tensor({{1.0, 2.0, 4.0}, {1.0, 3.0, 9.0}}));
}

TEST(ArgumentsByName, ThatAreRequired) {
  const Tensor x = numbers();
  expect_same(ops::one_hot(Tensor({2, 0}), {.num_classes = 3, .axis = 0, .dtype = "int32"}),
              Tensor({{0, 1}, {0, 0}, {1, 0}}));
  const Tensor classes = {{0, 2}, {1, 1}};
  expect_same(ops::multi_hot(classes, {.num_classes = 3}),
              Tensor({{1.0, 0.0, 1.0}, {0.0, 1.0, 0.0}}));
  expect_same(ops::multi_hot(classes, 3, {.axis = 1}), Tensor({{1.0, 1.0}, {1.0, 1.0}}));
  expect_same(ops::top_k(x, {.k = 2}).indices, Tensor({{2, 1}, {2, 0}}));
  expect_same(ops::repeat(x, 2),
              Tensor({1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 0.0, 0.0, -1.0, -1.0, 3.0, 3.0}));
  expect_same(ops::repeat(x, {.repeats = 2, .axis = 1}), ops::repeat(x, 2, 1));
  expect_same(ops::roll(x, {.shift = 1, .axis = 1}), Tensor({{4.0, 1.0, 2.0}, {3.0, 0.0, -1.0}}));
  expect_same(ops::clip(x, {.x_min = 0, .x_max = 2}), Tensor({{1.0, 2.0, 2.0}, {0.0, 0.0, 2.0}}));
  expect_same(ops::unstack(x, {.num = 3, .axis = 1})[2], Tensor({4.0, 3.0}));
  EXPECT_THROW(ops::unstack(x, {.num = 2, .axis = 1}), ValueError);
  const std::vector<Tensor> grid =
      ops::meshgrid(Tensor({1, 2}), Tensor({3, 4, 5}), {.indexing = "ij"});
  expect_same(grid[0], Tensor({{1, 1, 1}, {2, 2, 2}}));
  expect_same(grid[1], Tensor({{3, 4, 5}, {3, 4, 5}}));
  EXPECT_EQ(ops::matrix_rank(Tensor({{1.0, 0.0}, {0.0, 0.1}}), {.tol = 0.5}).item(), 1);
}

TEST(ArgumentsByName, OfConvolutionsAndPooling) {
  const Tensor x = ops::reshape(ops::arange(16, {.dtype = "float32"}), {1, 4, 4, 1});
  const Tensor kernel = ops::reshape(Tensor({1.0, 2.0, 3.0, 4.0}), {2, 2, 1, 1});
  EXPECT_EQ(values(ops::conv(x, kernel)),
            (std::vector<double>{34, 44, 54, 74, 84, 94, 114, 124, 134}));
  EXPECT_EQ(values(ops::conv(x, kernel, 2, "same")), (std::vector<double>{34, 54, 114, 134}));
  EXPECT_EQ(values(ops::depthwise_conv(x, kernel, 2)), (std::vector<double>{34, 54, 114, 134}));
  EXPECT_EQ(values(ops::separable_conv(x, kernel, 2 * ops::ones({1, 1, 1, 1}), {.strides = 2})),
            (std::vector<double>{68, 108, 228, 268}));
  const Tensor corner = ops::slice(x, {0, 0, 0, 0}, {1, 2, 2, 1});
  const std::vector<double> transposed = {0, 0, 1, 2, 0, 0, 3, 4, 4, 8, 5, 10, 12, 16, 15, 20};
  EXPECT_EQ(values(ops::conv_transpose(corner, kernel, {.strides = 2, .padding = "same"})),
            transposed);
  EXPECT_EQ(values(ops::conv_transpose(corner, kernel, 2, "same")), transposed);
  EXPECT_EQ(values(ops::max_pool(x, 2, 2)), (std::vector<double>{5, 7, 13, 15}));
  EXPECT_EQ(values(ops::average_pool(x, {2, 2}, 1, "same")),
            (std::vector<double>{2.5, 3.5, 4.5, 5, 6.5, 7.5, 8.5, 9, 10.5, 11.5, 12.5, 13, 12.5,
                                 13.5, 14.5, 15}));
  EXPECT_EQ(values(ops::adaptive_max_pool(x, 2)), (std::vector<double>{5, 7, 13, 15}));
  EXPECT_EQ(values(ops::resize(x, {2, 2}, "nearest")), (std::vector<double>{5, 7, 13, 15}));
}

TEST(ArgumentsByName, OfShrinksAndSquareplus) {
  const Tensor x = numbers();
  EXPECT_EQ(values(ops::hard_shrink(x, {.threshold = 1.5})),
            (std::vector<double>{0, 2, 4, 0, 0, 3}));
  expect_same(ops::soft_shrink(x, {.threshold = 1.5}), ops::soft_shrink(x, 1.5));
  expect_close(ops::squareplus(x, {.b = 2}),
               {1.366026, 2.224745, 4.121320, 0.707107, 0.366025, 3.158312}, 2e-6);
}

}  // namespace
}  // namespace antler
