#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/optional_shape.h"
#include "antler/core/tensor.h"

/// Conversions between images, arrays and files (keras.utils, keras.preprocessing.image). An image
/// is uint8 [height, width, channels].
namespace antler::utils {

/// Arguments of load_img after the path, in Keras's order.
struct LoadImageOptions {
  std::string color_mode = "rgb";  ///< "grayscale", "rgb" or "rgba"
  OptionalShape target_size = {};  ///< height, width; not given: those of the file
  /// "nearest", "bilinear", "bicubic", "lanczos", "box" or "hamming", as in Pillow
  std::string interpolation = "nearest";
  bool keep_aspect_ratio = false;  ///< first crop the center
};
/// Loads a JPEG, PNG, BMP or GIF file. Throws ValueError for invalid options, and what
/// io::load_image throws.
Tensor load_img(const std::string& path, const LoadImageOptions& options = {});
ANTLER_KEYWORD_FUNCTION(load_img, LoadImageOptions, const std::string&)
/// The same from the bytes of a file.
Tensor decode_img(std::string_view bytes, const LoadImageOptions& options = {});

/// Arguments of img_to_array, in Keras's order.
struct ImageToArrayOptions {
  std::string data_format = "channels_last";  ///< or "channels_first"
  DTypeArg dtype = default_float();
};
/// Converts an image to an array [height, width, channels], or [channels, height, width] for
/// "channels_first". A matrix gets one channel.
Tensor img_to_array(const Tensor& image, const ImageToArrayOptions& options = {});
ANTLER_KEYWORD_FUNCTION(img_to_array, ImageToArrayOptions, const Tensor&)

/// Arguments of array_to_img and save_img, in Keras's order.
struct ArrayToImageOptions {
  std::string data_format = "channels_last";  ///< or "channels_first"
  bool scale = true;                          ///< stretch the values to 0 ... 255
};
/// Converts an array of rank 3 with 1, 3 or 4 channels to an image. With `scale` its smallest value
/// becomes 0 and its largest 255. Throws ValueError for other shapes.
Tensor array_to_img(const Tensor& x, const ArrayToImageOptions& options = {});
ANTLER_KEYWORD_FUNCTION(array_to_img, ArrayToImageOptions, const Tensor&)

/// Writes array_to_img(x) as a PNG file. `path` is replaced when the file is complete. Throws
/// ValueError for a path that does not end in ".png"; IOError.
void save_img(const std::string& path, const Tensor& x, const ArrayToImageOptions& options = {});
ANTLER_KEYWORD_FUNCTION(save_img, ArrayToImageOptions, const std::string&, const Tensor&)

}  // namespace antler::utils
