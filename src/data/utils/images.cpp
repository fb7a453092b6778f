#include "antler/data/utils/images.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/image.h"
#include "core/doubles.h"
#include "data/utils/draws.h"
#include "data/utils/pillow_resize.h"
#include "io/png.h"

namespace antler::utils {
namespace {

bool channels_first(const std::string& data_format) {
  if (data_format == "channels_first") return true;
  if (data_format == "channels_last") return false;
  throw ValueError("Unknown data_format: {}", data_format);
}

int64_t channels_of(const std::string& color_mode) {
  if (color_mode == "grayscale") return 1;
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  throw ValueError("color_mode must be \"grayscale\", \"rgb\", or \"rgba\". Received: {}",
                   color_mode);
}

/// Transposes a matrix [a, b].
std::vector<float> transposed(const std::vector<float>& from, int64_t a, int64_t b) {
  std::vector<float> to(from.size());
  for (int64_t i = 0; i < a; ++i) {
    for (int64_t k = 0; k < b; ++k) {
      to[static_cast<size_t>(k * a + i)] = from[static_cast<size_t>(i * b + k)];
    }
  }
  return to;
}

/// The largest centered part with the aspect ratio of the target.
Box center_of(const Tensor& image, int64_t height, int64_t width) {
  const int64_t part_height = std::min(image.dim(0), image.dim(1) * height / width);
  const int64_t part_width = std::min(image.dim(1), image.dim(0) * width / height);
  return {(image.dim(0) - part_height) / 2, (image.dim(1) - part_width) / 2,
          std::max<int64_t>(part_height, 1), std::max<int64_t>(part_width, 1)};
}

Tensor resized(const Tensor& image, const LoadImageOptions& options) {
  if (!options.target_size) return image;
  const Shape& size = *options.target_size;
  if (size.rank() != 2 || size[0] < 1 || size[1] < 1) {
    throw ValueError("load_img: `target_size` must be a positive height and width. Received: {}",
                     size.str());
  }
  const int64_t height = size[0];
  const int64_t width = size[1];
  if (image.dim(0) == height && image.dim(1) == width) return image;
  const Box whole{0, 0, image.dim(0), image.dim(1)};
  const Box box = options.keep_aspect_ratio ? center_of(image, height, width) : whole;
  return pillow_resize(image, box, height, width, options.interpolation);
}

}  // namespace

Tensor load_img(const std::string& path, const LoadImageOptions& options) {
  return resized(io::load_image(path, {.channels = channels_of(options.color_mode)}), options);
}

Tensor decode_img(std::string_view bytes, const LoadImageOptions& options) {
  return resized(io::decode_image(bytes, {.channels = channels_of(options.color_mode)}), options);
}

Tensor img_to_array(const Tensor& image, const ImageToArrayOptions& options) {
  const bool first = channels_first(options.data_format);
  if (image.rank() != 2 && image.rank() != 3) {
    throw ValueError("Unsupported image shape: {}", image.shape());
  }
  const int64_t channels = image.rank() == 2 ? 1 : image.dim(2);
  const int64_t pixels = image.dim(0) * image.dim(1);
  std::vector<float> values = floats_of(image);
  if (first) values = transposed(values, pixels, channels);
  const Shape shape = first ? Shape{channels, image.dim(0), image.dim(1)}
                            : Shape{image.dim(0), image.dim(1), channels};
  const Tensor result = Tensor::of(values, shape);
  if (options.dtype == DType::float32) return result;
  const Tensor converted = Tensor::empty(options.dtype, shape);
  store_doubles(converted, result.to_doubles());
  return converted;
}

Tensor array_to_img(const Tensor& x, const ArrayToImageOptions& options) {
  const bool first = channels_first(options.data_format);
  if (x.rank() != 3) {
    throw ValueError("Expected image array to have rank 3 (single image). Got array with shape: {}",
                     x.shape());
  }
  const int64_t channels = x.dim(first ? 0 : 2);
  if (channels != 1 && channels != 3 && channels != 4) {
    throw ValueError("Unsupported channel number: {}", channels);
  }
  const int64_t height = x.dim(first ? 1 : 0);
  const int64_t width = x.dim(first ? 2 : 1);
  std::vector<float> floats = floats_of(x);
  if (first) floats = transposed(floats, channels, height * width);
  if (options.scale && !floats.empty()) {
    const float low = *std::min_element(floats.begin(), floats.end());
    const float high = *std::max_element(floats.begin(), floats.end()) - low;
    for (float& v : floats) v = (high != 0 ? (v - low) / high : v - low) * 255;
  }
  std::vector<uint8_t> pixels;
  pixels.reserve(floats.size());
  for (const float v : floats) {
    // NumPy's conversion of floats to bytes.
    const bool fits = std::abs(v) < 0x1p62F;  // false for NaN
    pixels.push_back(fits ? static_cast<uint8_t>(static_cast<int64_t>(v)) : uint8_t{0});
  }
  return Tensor::of(pixels, {height, width, channels});
}

void save_img(const std::string& path, const Tensor& x, const ArrayToImageOptions& options) {
  if (!path.ends_with(".png")) {
    throw ValueError("save_img: `path` must end in \".png\". Received: path={}", path);
  }
  const Tensor image = array_to_img(x, options);
  const std::vector<uint8_t> pixels = image.to_vector<uint8_t>();
  write_file_atomically(path, io::encode_png(pixels, image.dim(0), image.dim(1), image.dim(2)));
}

}  // namespace antler::utils
