// Images sampled at other places, which tests/data/ops_calls.json does not cover.
#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "support/op_harness.h"

namespace antler {
namespace {

Tensor ramp(const Shape& shape) {
  return ops::reshape(ops::arange(1, shape.num_elements() + 1, 1, {.dtype = DType::float32}),
                      shape);
}

// keras.ops.image.affine_transform of Keras 3.15 with TensorFlow, which JAX's differs from here.
TEST(ImageSampling, WrapsAndProjectsAsTensorFlow) {
  const Tensor x = ramp({2, 3, 1});
  const Tensor shift = Tensor::of<float>({1, 0, -1.5, 0, 1, 0.25, 0, 0});
  test::expect_close(ops::affine_transform(x, shift, {.fill_mode = "wrap"}),
                     {3.25, 3.75, 2.25, 2.5, 3.0, 1.5});
  const Tensor tilt = Tensor::of<float>({1, 0.1F, -0.5, 0, 1, 0.25, 0.1F, -0.05F});
  test::expect_close(ops::affine_transform(x, tilt, {.fill_mode = "reflect"}),
                     {1.75, 2.1363635063, 2.875, 4.0, 4.5714282989, 5.3913040161}, 1e-5);
}

TEST(ImageSampling, ElasticTransformFollowsItsSeed) {
  const Tensor x = ramp({2, 6, 5, 2});
  const Tensor seed = Tensor::of<uint32_t>({3, 0});
  const auto bent = [&](const Tensor& s, double alpha) {
    return ops::elastic_transform(x, s, {.alpha = alpha, .sigma = 1.0}).to_doubles();
  };
  EXPECT_EQ(bent(seed, 0), x.to_doubles());
  EXPECT_EQ(bent(seed, 2), bent(seed, 2));
  EXPECT_NE(bent(seed, 2), x.to_doubles());
  EXPECT_NE(bent(seed, 2), bent(Tensor::of<uint32_t>({4, 0}), 2));
  const Tensor first = ops::elastic_transform(
      ops::moveaxis(x, -1, 1), seed, {.alpha = 2.0, .sigma = 1.0, .data_format = "channels_first"});
  EXPECT_EQ(ops::moveaxis(first, 1, -1).to_doubles(), bent(seed, 2));
  // A field moves all channels of a pixel alike: the second channel is the first and one more.
  const std::vector<double> y = bent(seed, 2);
  for (size_t i = 0; i < y.size(); i += 2) EXPECT_NEAR(y[i + 1] - y[i], 1, 1e-4) << i;
}

TEST(ImageSampling, RefusesWhatKerasRefuses) {
  const Tensor x = ramp({1, 4, 4, 3});
  EXPECT_THROW(ops::resize(x, {2, 0}), ValueError);
  EXPECT_THROW(ops::resize(x, {2, 2}, {.interpolation = "cubic"}), ValueError);
  EXPECT_THROW(ops::resize(x, {2, 2}, {.fill_mode = "reflect"}), ValueError);
  EXPECT_THROW(ops::resize(x, {2, 2}, {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}),
               ValueError);
  EXPECT_THROW(ops::resize(x, {2, 2}, {.data_format = "NHWC"}), ValueError);
  EXPECT_THROW(ops::resize(ramp({4, 4}), {2, 2}), ValueError);
  EXPECT_THROW(ops::affine_transform(x, ramp({7})), ValueError);
  EXPECT_THROW(ops::affine_transform(x, ramp({8}), {.fill_mode = "edge"}), ValueError);
  EXPECT_THROW(ops::affine_transform(x, ramp({8}), {.interpolation = "bicubic"}), ValueError);
  EXPECT_THROW(ops::perspective_transform(x, ramp({4, 2}), ramp({1, 4, 2})), ValueError);
  EXPECT_THROW(ops::map_coordinates(x, ramp({3, 2}), 1), ValueError);
  EXPECT_THROW(ops::map_coordinates(x, ramp({4, 2}), 2), ValueError);
  EXPECT_THROW(ops::gaussian_blur(x, {.kernel_size = {3, 0}}), ValueError);
  EXPECT_THROW(ops::scale_and_translate(x, {1, 4, 4, 2}, ramp({1}), ramp({1}), {1}, "linear"),
               ValueError);
  EXPECT_THROW(ops::scale_and_translate(x, {1, 4, 4, 3}, ramp({1}), ramp({1}), {1}, "area"),
               ValueError);
  EXPECT_THROW(ops::rgb_to_hsv(ops::cast(x, DType::int32)), ValueError);
  EXPECT_THROW(ops::hsv_to_rgb(ramp({2, 2, 4})), ValueError);
  EXPECT_THROW(ops::rgb_to_grayscale(ramp({2, 2, 2})), ValueError);
}

TEST(Image, ArgumentsWithoutAResultAreRefused) {
  for (const char* interpolation : {"bilinear", "nearest", "bicubic", "area"}) {
    EXPECT_THROW(ops::resize(ops::ones({1, 0, 4, 1}), {3, 2}, {.interpolation = interpolation}),
                 ValueError);
  }
  EXPECT_THROW(
      ops::elastic_transform(ops::ones({4, 4, 1}), Tensor::of<uint32_t>({1, 2}), {.sigma = -1.0}),
      ValueError);
}

}  // namespace
}  // namespace antler
