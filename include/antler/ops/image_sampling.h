#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

/// keras.ops.image: images sampled at other places. Images [n, height, width, channels] or one
/// image, or [n, channels, height, width] with `data_format` "channels_first". What comes back has
/// their dtype; integers are computed as float32 and rounded. ValueErrors name function and shape.
namespace antler::ops {

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

struct GaussianBlurOptions {
  std::array<int64_t, 2> kernel_size = {3, 3};  ///< across, down
  std::array<Tensor, 2> sigma = {1.0, 1.0};     ///< pixels; across, down
  std::string data_format = "channels_last";
};
/// Each channel smoothed; zeros outside of the image.
Tensor gaussian_blur(const Tensor& images, const GaussianBlurOptions& options = {});

/// An array of `output_shape` that shows `x` stretched by `scale` [k] and then shifted by
/// `translation` [k] along `spatial_dims` (k of them); other dimensions keep their sizes. `method`:
/// "linear", "cubic", "lanczos3" or "lanczos5"; the first two also as "bilinear", "trilinear",
/// "triangle", "bicubic", "tricubic". Zero where it shows what is outside of `x`.
Tensor scale_and_translate(const Tensor& x, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& spatial_dims,
                           const std::string& method, bool antialias = true);

}  // namespace antler::ops
