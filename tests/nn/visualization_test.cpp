#include "antler/nn/visualization.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

using visualization::draw_segmentation_masks;
using Values = std::vector<double>;

// keras.visualization.draw_segmentation_masks of Keras 3.15.
TEST(Visualization, SegmentationMasksAreKerass) {
  std::vector<float> pixels;
  pixels.reserve(18);
  for (int i = 0; i < 18; ++i) pixels.push_back(static_cast<float>(i * 13 % 256));
  const Tensor x = Tensor::of(pixels, {1, 2, 3, 3});
  const Tensor m = Tensor::of<int32_t>({0, 1, 2, 3, 2, -1}, {1, 2, 3, 1});
  const Values four = {0, 2, 5, 8, 112, 37, 17, 221, 70, 25, 126, 103, 32, 237, 86, 195, 208, 221};
  const Tensor drawn = draw_segmentation_masks(x, m, {.num_classes = 4});
  EXPECT_EQ(drawn.dtype(), DType::uint8);
  EXPECT_EQ(drawn.to_doubles(), four);
  EXPECT_EQ(draw_segmentation_masks(ops::moveaxis(x, -1, 1), ops::moveaxis(m, -1, 1),
                                    {.num_classes = 4, .data_format = "channels_first"})
                .to_doubles(),
            four);
  EXPECT_EQ(
      draw_segmentation_masks(x, m, {.alpha = 0.3, .ignore_index = 0}).to_doubles(),
      (Values{0, 13, 26, 27, 74, 54, 55, 139, 91, 117, 130, 143, 109, 194, 146, 195, 208, 221}));
  const Tensor plain = draw_segmentation_masks(
      x, ops::squeeze(m, -1),
      {.num_classes = 3,
       .color_mapping = {{0, {1, 2, 3}}, {1, {250, 9, 8}}, {2, {7, 77, 177}}},
       .blend = false});
  EXPECT_EQ(plain.dtype(), DType::float32);
  EXPECT_EQ(plain.to_doubles(),
            (Values{1, 2, 3, 250, 9, 8, 7, 77, 177, 117, 130, 143, 7, 77, 177, 195, 208, 221}));
  EXPECT_THROW(draw_segmentation_masks(x, ops::cast(m, DType::float32)), TypeError);
  EXPECT_THROW(draw_segmentation_masks(ops::squeeze(x, 0), m), ValueError);
  EXPECT_THROW(draw_segmentation_masks(x, m, {.num_classes = 2, .color_mapping = {{0, {}}}}),
               ValueError);
}

}  // namespace
}  // namespace antler
