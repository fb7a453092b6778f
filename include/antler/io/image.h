#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "antler/core/tensor.h"

/// Images in files: JPEG, PNG, BMP and GIF.
namespace antler::io {

struct ImageOptions {
  /// 1 grey, 3 RGB, 4 RGBA; 0: what the file has (2 for grey with alpha). Alpha is dropped, or made
  /// opaque, where it is not wanted or not there; grey is 0.299 R + 0.587 G + 0.114 B.
  int64_t channels = 0;
  /// A GIF as [frames, height, width, channels]; else its first frame.
  bool expand_animations = false;
  /// Files that say that they hold more are refused before memory is taken.
  int64_t max_pixels = int64_t{1} << 26;
};

/// "jpeg", "png", "bmp" or "gif" by the first bytes; "" for anything else.
std::string image_format(std::string_view bytes);

/// The picture as uint8 [height, width, channels] (tf.io.decode_image). Samples of 16 bits keep
/// their upper 8; palettes become RGB. Throws IOError for bytes that are no image, a damaged or cut
/// off one, one that is too large, and a kind that is not read (compressed BMP); ValueError for
/// other `channels`.
Tensor decode_image(std::string_view bytes, const ImageOptions& options = {});

/// The same from a file; errors name it. Throws NotFoundError too.
Tensor load_image(const std::string& path, const ImageOptions& options = {});

}  // namespace antler::io
