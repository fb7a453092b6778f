#pragma once

#include <cstdint>
#include <string_view>

#include "antler/core/tensor.h"
#include "antler/io/image.h"

/// One function per format. Each gives the channels that its file has (a decoder that converts for
/// free may give options.channels); decode_image() makes what is left.
namespace antler::io::image {

Tensor decode_jpeg(std::string_view bytes, const ImageOptions& options);
Tensor decode_png(std::string_view bytes, const ImageOptions& options);
Tensor decode_bmp(std::string_view bytes, const ImageOptions& options);
/// [frames, height, width, 4]; one frame unless options.expand_animations.
Tensor decode_gif(std::string_view bytes, const ImageOptions& options);

/// A new uint8 image. Throws IOError unless 0 < height * width * frames <= options.max_pixels.
Tensor new_image(const char* format, int64_t frames, int64_t height, int64_t width,
                 int64_t channels, const ImageOptions& options);

}  // namespace antler::io::image
