// Functions of keras.ops that compute with the sizes of their argument become one node of a
// functional model if the batch size is unknown.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

using Call = std::function<Tensors(const Tensor&)>;

/// Compares a model of the call with the call itself on two batches, also
/// after a round trip through its configuration.
void check_call(const std::string& name, const Shape& sample, const Call& call) {
  SCOPED_TRACE(name);
  const Tensor x = Input(sample);
  const Model model({x}, call(x));
  const Model loaded = model_from_json(model.to_json());
  for (const int64_t rows : {2, 5}) {
    std::vector<int64_t> sizes = sample.dims();
    sizes.insert(sizes.begin(), rows);
    const Tensor data = random::uniform(Shape(sizes), {.minval = 0, .maxval = 4, .seed = 3});
    const Tensors wanted = call(data);
    for (const Model& one : {model, loaded}) {
      const Tensors got = one(Nest(data)).flatten();
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].shape(), wanted[i].shape());
        EXPECT_EQ(got[i].dtype(), wanted[i].dtype());
        EXPECT_EQ(got[i].to_doubles(), wanted[i].to_doubles());
      }
    }
  }
}

TEST(OpsOnPlaceholders, MovingElements) {
  const auto one = [](Tensor t) { return Tensors{std::move(t)}; };
  check_call("repeat", {4, 3}, [&](const Tensor& x) { return one(ops::repeat(x, 2, 1)); });
  check_call("tile", {4, 3}, [&](const Tensor& x) { return one(ops::tile(x, {1, 2, 3})); });
  check_call("roll", {4, 3}, [&](const Tensor& x) { return one(ops::roll(x, 1, -1)); });
  check_call("split", {4, 3}, [&](const Tensor& x) { return ops::split(x, 2, 1); });
  check_call("split_at", {6}, [&](const Tensor& x) {
    return ops::split(x, std::vector<int64_t>{1, 4}, -1);
  });
  check_call("split_from_end", {6}, [&](const Tensor& x) {
    return ops::split(x, std::vector<int64_t>{-4, -1}, 1);
  });
  check_call("unstack", {2, 3}, [&](const Tensor& x) { return ops::unstack(x, 1); });
  check_call("one_hot", {3},
             [&](const Tensor& x) { return one(ops::one_hot(ops::cast(x, "int32"), 4)); });
}

TEST(OpsOnPlaceholders, Images) {
  const auto one = [](Tensor t) { return Tensors{std::move(t)}; };
  check_call("resize", {6, 8, 3}, [&](const Tensor& x) {
    return one(ops::resize(x, {3, 4}, {.interpolation = "nearest"}));
  });
  check_call("patches", {6, 8, 3},
             [&](const Tensor& x) { return one(ops::extract_patches(x, 2)); });
  check_call("gray", {4, 4, 3}, [&](const Tensor& x) { return one(ops::rgb_to_grayscale(x)); });
  check_call("hsv", {4, 4, 3}, [&](const Tensor& x) { return one(ops::rgb_to_hsv(x / 4)); });
  check_call("rgb", {4, 4, 3}, [&](const Tensor& x) { return one(ops::hsv_to_rgb(x / 4)); });
  check_call("crop", {6, 8, 3}, [&](const Tensor& x) {
    return one(ops::crop_images(x, {.top = 1, .target_height = 4}));
  });
  check_call("crop_top", {6, 8, 3},
             [&](const Tensor& x) { return one(ops::crop_images(x, {.target_height = 4})); });
  check_call("pad", {6, 8, 3},
             [&](const Tensor& x) { return one(ops::pad_images(x, {.left = 2, .right = 1})); });
}

TEST(OpsOnPlaceholders, ShapesHaveAnUnknownBatch) {
  const Tensor x = Input({8, 8, 3});
  EXPECT_EQ(ops::resize(x, {4, 2}).shape(), (Shape{-1, 4, 2, 3}));
  EXPECT_EQ(ops::repeat(x, 2, 1).shape(), (Shape{-1, 16, 8, 3}));
  EXPECT_EQ(ops::split(x, 2, 2)[1].shape(), (Shape{-1, 8, 4, 3}));
  EXPECT_THROW(ops::split(x, 3, 2), ValueError);
  EXPECT_THROW(ops::repeat(x, -1, 1), ValueError);
}

}  // namespace
}  // namespace antler
