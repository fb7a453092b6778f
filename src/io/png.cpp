#include "io/png.h"

#include <png.h>

#include "antler/base/error.h"

namespace antler::io {

std::string encode_png(std::span<const uint8_t> samples, int64_t height, int64_t width,
                       int64_t channels) {
  static constexpr png_uint_32 kFormats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                             PNG_FORMAT_RGBA};
  constexpr int64_t kMaxSide = 1 << 20;
  if (channels < 1 || channels > 4 || height < 1 || width < 1 || height > kMaxSide ||
      width > kMaxSide ||
      samples.size() != static_cast<size_t>(height) * static_cast<size_t>(width * channels)) {
    throw ValueError(
        "A PNG image needs a height and width of at least 1 and 1 to 4 channels. "
        "Received: height={}, width={}, channels={}, {} samples.",
        height, width, channels, samples.size());
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = kFormats[channels - 1];
  png_alloc_size_t size = 0;
  if (png_image_write_to_memory(&image, nullptr, &size, 0, samples.data(), 0, nullptr) == 0) {
    throw IOError("Cannot encode a PNG image: {}.", image.message);
  }
  std::string png(size, '\0');
  if (png_image_write_to_memory(&image, png.data(), &size, 0, samples.data(), 0, nullptr) == 0) {
    throw IOError("Cannot encode a PNG image: {}.", image.message);
  }
  png.resize(size);
  return png;
}

}  // namespace antler::io
