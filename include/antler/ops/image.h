#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

/// keras.ops.image. Images are [n, height, width, channels] or one image, and where a function
/// takes `data_format` also [n, channels, height, width] ("channels_first"). Results have the dtype
/// of the images; integers are computed as float32 and rounded. Errors are ValueErrors that name
/// function and shape.
namespace antler::ops {

// Sides and patches.
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

// Colors.
/// ITU-R 601-2 luma, one channel, in the dtype of the images. Images of one channel stay as they
/// are.
Tensor rgb_to_grayscale(const Tensor& images, const std::string& data_format = "channels_last");
/// Hue, saturation and value, each in [0, 1] for values in [0, 1]. Floats only.
Tensor rgb_to_hsv(const Tensor& images, const std::string& data_format = "channels_last");
/// The inverse; a hue outside of [0, 1] goes round.
Tensor hsv_to_rgb(const Tensor& images, const std::string& data_format = "channels_last");

// Resampling.
struct ResizeOptions {
  /// "bilinear", "nearest", "bicubic", "lanczos3", "lanczos5", "area", "gaussian" or
  /// "mitchellcubic".
  std::string interpolation = "bilinear";
  bool antialias = false;              ///< wider means where pixels become fewer
  bool crop_to_aspect_ratio = false;   ///< resizes the largest part in the middle that has it
  bool pad_to_aspect_ratio = false;    ///< adds to two sides alike until it is that of `size`
  std::string fill_mode = "constant";  ///< the only one
  double fill_value = 0;               ///< of what is added
  std::string data_format = "channels_last";
};
/// Images of `size` (height, width). Pixel i is centred at i + 1/2.
Tensor resize(const Tensor& images, std::pair<int64_t, int64_t> size,
              const ResizeOptions& options = {});
struct AffineTransformOptions {
  std::string interpolation = "bilinear";  ///< or "nearest"
  /// What is outside of the image: "constant", "nearest" (the border), "reflect" (dcba|abcd|dcba),
  /// "mirror" (dcb|abcd|cba) or "wrap" (as TensorFlow's, which gives the gap between two copies the
  /// border's value).
  std::string fill_mode = "constant";
  double fill_value = 0;
  std::string data_format = "channels_last";
};
/// Images seen through `transform` [n, 8] or [8], (a0, a1, a2, b0, b1, b2, c0, c1): the pixel (x,
/// y) of the result is that at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y
/// + 1.
Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        const AffineTransformOptions& options = {});
struct PerspectiveTransformOptions {
  std::string interpolation = "bilinear";  ///< or "nearest"
  double fill_value = 0;                   ///< outside of the image
  std::string data_format = "channels_last";
};
/// Images in which four points (x, y), each `start_points` [n, 4, 2] or [4, 2], come to lie at
/// `end_points`, of the same shape. No three of them may lie on a line.
Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points,
                             const PerspectiveTransformOptions& options = {});
/// Values of `x` [d1, ..., dk] at `coordinates` [k, ...], in the shape of the latter without its
/// first dimension. `order` 0 takes the nearest element, 1 is linear. `fill_mode` as in
/// affine_transform, but "wrap" repeats the array without a gap (SciPy's grid-wrap).
Tensor map_coordinates(const Tensor& x, const Tensor& coordinates, int order,
                       const std::string& fill_mode = "constant", double fill_value = 0);
struct ElasticTransformOptions {
  Tensor alpha = 20.0;  ///< strength: pixels of displacement per unit of the smoothed noise
  Tensor sigma = 5.0;   ///< deviation of the noise, and width in pixels of what smooths it
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::string fill_mode = "reflect";       ///< as in affine_transform
  double fill_value = 0;
  std::string data_format = "channels_last";
  /// Side of the window that smooths; 0: six `sigma`, which must then be a value.
  int64_t window = 0;
};
/// Images bent by a smooth random field (Simard et al. 2003), one per image, drawn by `seed`
/// (random.h).
Tensor elastic_transform(const Tensor& images, const Tensor& seed,
                         const ElasticTransformOptions& options = {});
/// An array of `output_shape` that shows `x` stretched by `scale` [k] and then shifted by
/// `translation` [k] along `spatial_dims` (k of them); other dimensions keep their sizes. `method`:
/// "linear", "cubic", "lanczos3" or "lanczos5"; the first two also as "bilinear", "trilinear",
/// "triangle", "bicubic", "tricubic". Zero where it shows what is outside of `x`.
Tensor scale_and_translate(const Tensor& x, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& spatial_dims,
                           const std::string& method, bool antialias = true);

// Filters.
struct GaussianBlurOptions {
  std::array<int64_t, 2> kernel_size = {3, 3};  ///< across, down
  std::array<Tensor, 2> sigma = {1.0, 1.0};     ///< pixels; across, down
  std::string data_format = "channels_last";
};
/// Each channel smoothed; zeros outside of the image.
Tensor gaussian_blur(const Tensor& images, const GaussianBlurOptions& options = {});
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
