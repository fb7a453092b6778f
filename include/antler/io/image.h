#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "antler/core/tensor.h"

/// Image files: JPEG, PNG, BMP and GIF.
namespace antler::io {

/// Options of decode_image(), load_image().
struct ImageOptions {
  /// 1 grey, 3 RGB, 4 RGBA; 0: as in the file (2 for grey with alpha). Alpha is dropped if it is
  /// not wanted, and opaque if the file has none. Grey is 0.299 R + 0.587 G + 0.114 B.
  int64_t channels = 0;
  /// Decode a GIF to [frames, height, width, channels]; otherwise only the first frame is decoded.
  bool expand_animations = false;
  /// Larger images are rejected before memory is allocated.
  int64_t max_pixels = int64_t{1} << 26;
};

/// "jpeg", "png", "bmp" or "gif", detected from the first bytes; "" for anything else.
std::string image_format(std::string_view bytes);

/// Decodes an image to uint8 [height, width, channels] (tf.io.decode_image). Samples of 16 bits
/// keep their upper 8 bits; palettes become RGB. Throws IOError for bytes that are not an image, a
/// corrupt or truncated image, one that is too large, and compressed BMP; ValueError for other
/// values of `channels`.
Tensor decode_image(std::string_view bytes, const ImageOptions& options = {});

/// The same from a file. Errors name the file. Also throws NotFoundError.
Tensor load_image(const std::string& path, const ImageOptions& options = {});

}  // namespace antler::io
