#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "antler/core/tensor.h"

/// Single images and arrays (keras.utils, keras.preprocessing.image). An image is uint8 [height,
/// width, channels].
namespace antler::utils {

/// Arguments of load_img behind the path, Keras's, in its order.
struct LoadImageOptions {
  std::string color_mode = "rgb";                               ///< "grayscale", "rgb" or "rgba"
  std::optional<std::pair<int64_t, int64_t>> target_size = {};  ///< height, width
  /// "nearest", "bilinear", "bicubic", "lanczos", "box" or "hamming", as Pillow resamples
  std::string interpolation = "nearest";
  bool keep_aspect_ratio = false;  ///< cuts the centre out first
};
/// An image of a JPEG, PNG, BMP or GIF file. Throws ValueError for unknown words, and what
/// io::load_image throws.
Tensor load_img(const std::string& path, const LoadImageOptions& options = {});
/// The same for the bytes of such a file.
Tensor decode_img(std::string_view bytes, const LoadImageOptions& options = {});

/// float32 [height, width, channels] of an image, or [channels, height, width] with
/// "channels_first". A matrix gets one channel.
Tensor img_to_array(const Tensor& image, const std::string& data_format = "channels_last");

/// The image of an array of rank 3 with 1, 3 or 4 channels; with `scale` its smallest value becomes
/// 0 and its largest 255. Throws ValueError for other shapes.
Tensor array_to_img(const Tensor& x, const std::string& data_format = "channels_last",
                    bool scale = true);

/// Writes array_to_img(x) as a PNG file (to a temporary name that is renamed). Throws ValueError
/// for names with another ending, and IOError.
void save_img(const std::string& path, const Tensor& x,
              const std::string& data_format = "channels_last", bool scale = true);

}  // namespace antler::utils
