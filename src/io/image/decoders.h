#pragma once

#include <cstdint>
#include <string_view>

#include "antler/core/tensor.h"
#include "antler/io/image.h"

/// One decoder per format. The result has the channels of the file, or options.channels if the
/// decoder can convert at no cost; decode_image() does all other conversions.
namespace antler::io::image {

Tensor decode_jpeg(std::string_view bytes, const ImageOptions& options);
Tensor decode_png(std::string_view bytes, const ImageOptions& options);
Tensor decode_bmp(std::string_view bytes, const ImageOptions& options);
/// [frames, height, width, 4], or the first frame [height, width, 4] unless
/// options.expand_animations.
Tensor decode_gif(std::string_view bytes, const ImageOptions& options);

/// An uninitialized uint8 image. Throws IOError unless
/// 0 < height * width * frames <= options.max_pixels.
Tensor new_image(const char* format, int64_t frames, int64_t height, int64_t width,
                 int64_t channels, const ImageOptions& options);

}  // namespace antler::io::image
