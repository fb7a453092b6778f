#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/required.h"
#include "antler/core/tensor.h"
#include "antler/ops/axes.h"

/// keras.ops.image. Images are [n, height, width, channels] or one image without the first
/// dimension. Functions with a `data_format` also take [n, channels, height, width]
/// ("channels_first"). Results have the dtype of the images; integers are computed as float32 and
/// rounded. Messages of ValueErrors name the function and the shape.
namespace antler::ops {

// Crops, borders and patches.
/// Rows and columns to crop or pad at each side. Any two of top, bottom and target height determine
/// the third. Whatever is neither given nor determined is 0.
struct ImageSides {
  std::optional<int64_t> top = {};
  std::optional<int64_t> left = {};
  std::optional<int64_t> bottom = {};
  std::optional<int64_t> right = {};
  std::optional<int64_t> target_height = {};
  std::optional<int64_t> target_width = {};
};
Tensor crop_images(const Tensor& images, const ImageSides& cropping);
/// Pads with zeros.
Tensor pad_images(const Tensor& images, const ImageSides& padding);
/// Options of extract_patches().
struct ExtractPatchesOptions {
  NumberOrList strides = {};         ///< default: the size
  NumberOrList dilation_rate = {1};  ///< distance between elements of a patch
  std::string padding = "valid";     ///< or "same"
};
/// Patches as channels: [n, patches..., size... * channels]. `size` is one number, or one per
/// spatial dimension: two for images, three for volumes.
Tensor extract_patches(const Tensor& images, const NumberOrList& size,
                       const ExtractPatchesOptions& options = {});
ANTLER_KEYWORD_FUNCTION(extract_patches, ExtractPatchesOptions, const Tensor&, const NumberOrList&)
Tensor extract_patches_3d(const Tensor& volumes, const NumberOrList& size,
                          const ExtractPatchesOptions& options = {});
ANTLER_KEYWORD_FUNCTION(extract_patches_3d, ExtractPatchesOptions, const Tensor&,
                        const NumberOrList&)

// Colors.
/// ITU-R 601-2 luma: one channel. Images of one channel are returned unchanged.
Tensor rgb_to_grayscale(const Tensor& images, const std::string& data_format = "channels_last");
/// Hue, saturation and value, each in [0, 1] if the inputs are. Floats only.
Tensor rgb_to_hsv(const Tensor& images, const std::string& data_format = "channels_last");
/// The inverse. A hue outside of [0, 1] wraps around.
Tensor hsv_to_rgb(const Tensor& images, const std::string& data_format = "channels_last");

// Resampling.
/// Options of resize().
struct ResizeOptions {
  /// "bilinear", "nearest", "bicubic", "lanczos3", "lanczos5", "area", "gaussian" or
  /// "mitchellcubic".
  std::string interpolation = "bilinear";
  bool antialias = false;  ///< widens the filter when downsampling
  bool crop_to_aspect_ratio =
      false;                         ///< resizes the largest centered crop with the ratio of `size`
  bool pad_to_aspect_ratio = false;  ///< pads two sides equally to the aspect ratio of `size`
  std::string fill_mode = "constant";         ///< the only mode
  double fill_value = 0;                      ///< value of the padding
  std::string data_format = "channels_last";  ///< "channels_last" or "channels_first"
};
/// Resizes images to `size` (height, width). The center of pixel i is at i + 1/2.
Tensor resize(const Tensor& images, std::pair<int64_t, int64_t> size,
              const ResizeOptions& options = {});
template <class... K>
requires KeywordsOf<ResizeOptions, K...> Tensor resize(const Tensor& images,
                                                       std::pair<int64_t, int64_t> size,
                                                       K... keywords) {
  return resize(images, size, from_keywords<ResizeOptions>(std::move(keywords)...));
}
/// Options of affine_transform().
struct AffineTransformOptions {
  std::string interpolation = "bilinear";  ///< or "nearest"
  /// How to extend the image: "constant", "nearest" (the border), "reflect" (dcba|abcd|dcba),
  /// "mirror" (dcb|abcd|cba) or "wrap" (TensorFlow's, which fills the gap between two copies with
  /// the value of the border).
  std::string fill_mode = "constant";
  double fill_value = 0;                      ///< for "constant"
  std::string data_format = "channels_last";  ///< "channels_last" or "channels_first"
};
/// Applies `transform` [n, 8] or [8], (a0, a1, a2, b0, b1, b2, c0, c1). Output pixel (x, y) is
/// sampled at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the input, where k = c0 x + c1 y
/// + 1.
Tensor affine_transform(const Tensor& images, const Tensor& transform,
                        const AffineTransformOptions& options = {});
ANTLER_KEYWORD_FUNCTION(affine_transform, AffineTransformOptions, const Tensor&, const Tensor&)
/// Options of perspective_transform().
struct PerspectiveTransformOptions {
  std::string interpolation = "bilinear";     ///< or "nearest"
  double fill_value = 0;                      ///< value outside of the image
  std::string data_format = "channels_last";  ///< "channels_last" or "channels_first"
};
/// The projection that moves four points (x, y), `start_points` [n, 4, 2] or [4, 2], to
/// `end_points`, which has the same shape. No three of the points may be collinear.
Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points,
                             const PerspectiveTransformOptions& options = {});
ANTLER_KEYWORD_FUNCTION(perspective_transform, PerspectiveTransformOptions, const Tensor&,
                        const Tensor&, const Tensor&)
/// Options of map_coordinates().
struct MapCoordinatesOptions {
  /// As in affine_transform, but "wrap" repeats the array without a gap (SciPy's grid-wrap).
  std::string fill_mode = "constant";
  double fill_value = 0;  ///< for "constant"
};
/// Samples `x` [d1, ..., dk] at `coordinates` [k, ...]; the result has the shape of `coordinates`
/// without its first dimension. `order` 0 takes the nearest element, 1 interpolates linearly.
Tensor map_coordinates(const Tensor& x, const Tensor& coordinates, int order,
                       const MapCoordinatesOptions& options = {});
ANTLER_KEYWORD_FUNCTION(map_coordinates, MapCoordinatesOptions, const Tensor&, const Tensor&, int)
/// The arguments of map_coordinates() by name.
struct MapCoordinatesArguments {
  Required<int64_t> order;             ///< 0 or 1
  std::string fill_mode = "constant";  ///< see MapCoordinatesOptions
  double fill_value = 0;               ///< for "constant"
};
inline Tensor map_coordinates(const Tensor& x, const Tensor& coordinates,
                              const MapCoordinatesArguments& by_name) {
  return map_coordinates(x, coordinates, static_cast<int>(int64_t{by_name.order}),
                         {.fill_mode = by_name.fill_mode, .fill_value = by_name.fill_value});
}
ANTLER_KEYWORD_FUNCTION(map_coordinates, MapCoordinatesArguments, const Tensor&, const Tensor&)
/// Options of elastic_transform().
struct ElasticTransformOptions {
  Tensor alpha = 20.0;  ///< strength: pixels of displacement per unit of the smoothed noise
  Tensor sigma = 5.0;   ///< standard deviation of the noise, and of the Gaussian, in pixels
  std::string interpolation = "bilinear";     ///< or "nearest"
  std::string fill_mode = "reflect";          ///< as in affine_transform
  double fill_value = 0;                      ///< for "constant"
  std::string data_format = "channels_last";  ///< "channels_last" or "channels_first"
  /// Side of the smoothing window. 0: 6 floor(sigma) + 1, as in Keras; for a traced `sigma` at most
  /// twice the image's larger side.
  int64_t window = 0;
};
/// Elastic distortion by a smooth random displacement field per image (Simard et al. 2003). `seed`
/// as in random.h.
Tensor elastic_transform(const Tensor& images, const Tensor& seed,
                         const ElasticTransformOptions& options = {});
ANTLER_KEYWORD_FUNCTION(elastic_transform, ElasticTransformOptions, const Tensor&, const Tensor&)
/// Options of scale_and_translate().
struct ScaleAndTranslateOptions {
  bool antialias = true;  ///< widens the filter when downsampling
};
/// Scales `x` by `scale` [k] and then shifts it by `translation` [k] along the k `spatial_dims`,
/// into an array of `output_shape`; other dimensions keep their sizes. `method`: "linear" (also
/// "bilinear", "trilinear", "triangle"), "cubic" (also "bicubic", "tricubic"), "lanczos3" or
/// "lanczos5". Elements from outside of `x` are 0.
Tensor scale_and_translate(const Tensor& x, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& spatial_dims,
                           const std::string& method, ScaleAndTranslateOptions options = {});

// Filters.
/// Options of gaussian_blur().
struct GaussianBlurOptions {
  std::array<int64_t, 2> kernel_size = {3, 3};  ///< horizontal, vertical
  std::array<Tensor, 2> sigma = {1.0, 1.0};     ///< in pixels: horizontal, vertical
  std::string data_format = "channels_last";    ///< "channels_last" or "channels_first"
};
/// Smooths each channel. The image is padded with zeros.
Tensor gaussian_blur(const Tensor& images, const GaussianBlurOptions& options = {});
ANTLER_KEYWORD_FUNCTION(gaussian_blur, GaussianBlurOptions, const Tensor&)
/// Sobel derivatives [n, height, width, channels, 2]: vertical, horizontal. The image is padded
/// with zeros.
Tensor sobel_edges(const Tensor& images);
/// Wang et al. (2004).
struct SsimOptions {
  double max_val = 1;         ///< the largest possible value of a pixel
  int64_t filter_size = 11;   ///< side of a window
  double filter_sigma = 1.5;  ///< in pixels
  double k1 = 0.01;           ///< stabilizes the means
  double k2 = 0.03;           ///< stabilizes the variances
};
/// Structural similarity of two images, [n].
Tensor ssim(const Tensor& x, const Tensor& y, const SsimOptions& options = {});
ANTLER_KEYWORD_FUNCTION(ssim, SsimOptions, const Tensor&, const Tensor&)

}  // namespace antler::ops
