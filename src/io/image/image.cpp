#include "antler/io/image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/image/decoders.h"

namespace antler::io {
namespace {

constexpr uint8_t kOpaque = 255;

/// ITU-R BT.601 luma in 16-bit fixed point, rounded.
uint8_t luma(const uint8_t* rgb) {
  constexpr uint32_t kRed = 19595;
  constexpr uint32_t kGreen = 38470;
  constexpr uint32_t kBlue = 7471;
  return static_cast<uint8_t>((kRed * rgb[0] + kGreen * rgb[1] + kBlue * rgb[2] + 32768U) >> 16);
}

/// The image converted to another number of channels.
Tensor with_channels(const Tensor& image, int64_t channels) {
  const int64_t have = image.shape()[image.rank() - 1];
  if (have == channels) return image;
  Shape shape = image.shape();
  shape[image.rank() - 1] = channels;
  Tensor result = Tensor::empty(DType::uint8, shape);
  const bool color = have >= 3;
  const bool alpha = have == 2 || have == 4;
  const uint8_t* from = image.data<uint8_t>();
  auto* to = result.mutable_data<uint8_t>();
  for (int64_t i = 0, count = image.size() / have; i < count; ++i, from += have, to += channels) {
    if (channels <= 2) {
      to[0] = color ? luma(from) : from[0];
    } else {
      for (int c = 0; c < 3; ++c) to[c] = color ? from[c] : from[0];
    }
    if (channels % 2 == 0) to[channels - 1] = alpha ? from[have - 1] : kOpaque;
  }
  return result;
}

}  // namespace

namespace image {

Tensor new_image(const char* format, int64_t frames, int64_t height, int64_t width,
                 int64_t channels, const ImageOptions& options) {
  constexpr int64_t kMaxSide = int64_t{1} << 24;
  if (height < 1 || width < 1 || frames < 1 || height > kMaxSide || width > kMaxSide ||
      height * width > options.max_pixels / frames) {
    throw IOError(
        "The {} image has height {}, width {} and {} frame(s). Expected 1 to {} pixels in total.",
        format, height, width, frames, options.max_pixels);
  }
  return frames == 1 && !options.expand_animations
             ? Tensor::empty(DType::uint8, {height, width, channels})
             : Tensor::empty(DType::uint8, {frames, height, width, channels});
}

}  // namespace image

std::string image_format(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return "jpeg";
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "png";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "gif";
  if (bytes.starts_with("BM")) return "bmp";
  return "";
}

Tensor decode_image(std::string_view bytes, const ImageOptions& options) {
  if (options.channels < 0 || options.channels == 2 || options.channels > 4) {
    throw ValueError("decode_image: `channels` must be 0, 1, 3 or 4. Received: channels={}",
                     options.channels);
  }
  const std::string format = image_format(bytes);
  ImageOptions still = options;
  still.expand_animations = false;
  Tensor image;
  if (format == "jpeg") {
    image = image::decode_jpeg(bytes, still);
  } else if (format == "png") {
    image = image::decode_png(bytes, still);
  } else if (format == "bmp") {
    image = image::decode_bmp(bytes, still);
  } else if (format == "gif") {
    image = with_channels(image::decode_gif(bytes, options),
                          options.channels == 0 ? 3 : options.channels);
  } else {
    throw IOError("These {} bytes are not a JPEG, PNG, BMP or GIF image.", bytes.size());
  }
  return options.channels == 0 ? image : with_channels(image, options.channels);
}

Tensor load_image(const std::string& path, const ImageOptions& options) {
  const std::string bytes = read_file(path);
  try {
    return decode_image(bytes, options);
  } catch (const IOError& error) {
    throw IOError("'{}': {}", path, error.what());
  }
}

}  // namespace antler::io
