#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// keras.ops.image: images [n, height, width, channels] or one image without the first dimension.
/// Errors are ValueErrors that name function and shape.
namespace antler::ops {

/// What is cut off or added at the sides. Of top, bottom and the target height two say the third;
/// what is not given and does not follow is 0.
struct ImageSides {
  std::optional<int64_t> top = {};
  std::optional<int64_t> left = {};
  std::optional<int64_t> bottom = {};
  std::optional<int64_t> right = {};
  std::optional<int64_t> target_height = {};
  std::optional<int64_t> target_width = {};
};
Tensor crop_images(const Tensor& images, const ImageSides& cropping);
/// With zeros.
Tensor pad_images(const Tensor& images, const ImageSides& padding);

/// Patches of `size` (one number, or one for each spatial dimension: two of images, three of
/// volumes) as channels: [n, patches..., size... * channels]. `strides` is the size where not
/// given.
Tensor extract_patches(const Tensor& images, const std::vector<int64_t>& size,
                       const std::vector<int64_t>& strides = {},
                       const std::vector<int64_t>& dilation_rate = {1},
                       const std::string& padding = "valid");
Tensor extract_patches_3d(const Tensor& volumes, const std::vector<int64_t>& size,
                          const std::vector<int64_t>& strides = {},
                          const std::vector<int64_t>& dilation_rate = {1},
                          const std::string& padding = "valid");

/// Sobel's derivatives [n, height, width, channels, 2], downwards and to the right; zeros around.
Tensor sobel_edges(const Tensor& images);

/// Wang et al. (2004).
struct SsimOptions {
  double max_val = 1;  ///< the largest value of a pixel
  int64_t filter_size = 11;
  double filter_sigma = 1.5;  ///< pixels
  double k1 = 0.01;
  double k2 = 0.03;
};
/// Structural similarity of two images, [n].
Tensor ssim(const Tensor& x, const Tensor& y, const SsimOptions& options = {});

}  // namespace antler::ops
