#include "data/image_split.h"

#include <array>
#include <cstddef>

#include "antler/base/error.h"

namespace antler::data {

Split image_split(const Tensor& images, const Tensor& labels, float white,
                  const std::string& what) {
  if (images.dtype() != DType::uint8 || images.rank() != 3 || labels.dtype() != DType::uint8 ||
      labels.rank() != 1 || images.shape()[0] != labels.shape()[0]) {
    throw IOError(
        "{}: expected uint8 images [n, height, width] and labels [n]. Found {} {} and {} {}.", what,
        dtype_name(images.dtype()), images.shape(), dtype_name(labels.dtype()), labels.shape());
  }
  Shape shape = images.shape();
  shape.push_back(1);
  Split split = {Tensor::empty(DType::float32, shape), Tensor::empty(DType::int32, labels.shape())};
  const auto* pixels = images.data<uint8_t>();
  auto* x = split.x.mutable_data<float>();
  std::array<float, 256> shades{};
  for (size_t i = 0; i < shades.size(); ++i) shades[i] = static_cast<float>(i) / white;
  const int64_t count = images.size();
  for (int64_t i = 0; i < count; ++i) x[i] = shades[pixels[i]];
  const auto* classes = labels.data<uint8_t>();
  auto* y = split.y.mutable_data<int32_t>();
  for (int64_t i = 0; i < labels.size(); ++i) {
    if (classes[i] > 9) {
      throw IOError("{}: expected labels 0 to 9. Found {}.", what, classes[i]);
    }
    y[i] = classes[i];
  }
  return split;
}

}  // namespace antler::data
