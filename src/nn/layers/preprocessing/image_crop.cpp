#include <algorithm>
#include <string>
#include <utility>

#include "antler/nn/layers/image_geometry.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/layers/preprocessing/list.h"

/// Layers that change the size of images.
namespace antler {

template <class V>
void fields(V& v, ResizingOptions& o) {
  v("data_format", o.data_format);
  v("height", o.height);
  v("width", o.width);
  v("interpolation", o.interpolation);
  v("crop_to_aspect_ratio", o.crop_to_aspect_ratio);
  v("pad_to_aspect_ratio", o.pad_to_aspect_ratio);
  v("fill_mode", o.fill_mode);
  v("fill_value", o.fill_value);
  v("antialias", o.antialias);
}

template <class V>
void fields(V& v, CenterCropOptions& o) {
  v("data_format", o.data_format);
  v("height", o.height);
  v("width", o.width);
}

template <class V>
void fields(V& v, RandomCropOptions& o) {
  v("data_format", o.data_format);
  v("height", o.height);
  v("width", o.width);
  v("seed", o.seed);
}

namespace {

template <class Options>
Options with_size(Options o, int64_t height, int64_t width) {
  o.height = height;
  o.width = width;
  return o;
}

template <class Options>
Options sized(Options o, const char* layer) {
  if (o.height <= 0 || o.width <= 0) {
    throw ValueError(std::string(layer) +
                     ": `height` and `width` must be positive. Received: height=" +
                     std::to_string(o.height) + ", width=" + std::to_string(o.width));
  }
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

Tensor cut(const Tensor& images, int64_t top, int64_t left, int64_t height, int64_t width) {
  return ops::slice_axis(ops::slice_axis(images, 1, top, top + height), 2, left, left + width);
}

/// Filled on both sides alike, until the aspect ratio is that of the target.
Tensor pad_to_aspect(const Tensor& images, const ResizingOptions& o) {
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const auto scaled = [](int64_t a, int64_t b, int64_t c) {
    return static_cast<int64_t>(static_cast<float>(a * b) / static_cast<float>(c));
  };
  const int64_t top = (std::max(height, scaled(width, o.height, o.width)) - height) / 2;
  const int64_t left = (std::max(width, scaled(height, o.width, o.height)) - width) / 2;
  return ops::pad(images, {0, top, left, 0}, {0, top, left, 0}, {},
                  Tensor::full(images.dtype(), {}, o.fill_value));
}

}  // namespace

Resizing::Resizing(int64_t height, int64_t width, ResizingOptions options)
    : Resizing(with_size(std::move(options), height, width)) {}

Resizing::Resizing(const ResizingOptions& options)
    : LayerBase("Resizing", base_options(options), options.data_format, When::always),
      options_(sized(options, "Resizing")) {
  if (options.fill_mode != "constant") {
    throw ValueError(
        "Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: "
        "fill_mode=" +
        options.fill_mode);
  }
  if (options.crop_to_aspect_ratio && options.pad_to_aspect_ratio) {
    throw ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
  }
}

Tensor Resizing::call(const Tensor& input, const CallOptions& options) {
  const Tensor resized = ImageLayer::call(input, options);
  if (is_floating(input.dtype())) return resized;
  const Tensor whole = options_.interpolation == "nearest" ? resized : ops::round(resized);
  if (input.dtype() == DType::uint8) {
    return ops::cast(ops::clip(whole, 0.0, 255.0), DType::uint8);
  }
  return ops::cast(whole, input.dtype());
}

Tensor Resizing::transform(const Tensor& images) {
  Tensor x = images;
  if (options_.crop_to_aspect_ratio) x = crop_to_aspect_ratio(x, options_.height, options_.width);
  if (options_.pad_to_aspect_ratio) x = pad_to_aspect(x, options_);
  return resize_images(x, options_.height, options_.width, options_.interpolation,
                       options_.antialias);
}

Json Resizing::get_config() const { return config_of(*this, options_); }

CenterCrop::CenterCrop(int64_t height, int64_t width, CenterCropOptions options)
    : CenterCrop(with_size(std::move(options), height, width)) {}

CenterCrop::CenterCrop(const CenterCropOptions& options)
    : LayerBase("CenterCrop", base_options(options), options.data_format, When::always),
      options_(sized(options, "CenterCrop")) {}

Tensor CenterCrop::transform(const Tensor& images) {
  const int64_t spare_height = images.dim(1) - options_.height;
  const int64_t spare_width = images.dim(2) - options_.width;
  if (spare_height >= 0 && spare_width >= 0) {
    return cut(images, spare_height / 2, spare_width / 2, options_.height, options_.width);
  }
  return resize_images(crop_to_aspect_ratio(images, options_.height, options_.width),
                       options_.height, options_.width, "bilinear", false);
}

Json CenterCrop::get_config() const { return config_of(*this, options_); }

RandomCrop::RandomCrop(int64_t height, int64_t width, RandomCropOptions options)
    : RandomCrop(with_size(std::move(options), height, width)) {}

RandomCrop::RandomCrop(const RandomCropOptions& options)
    : LayerBase("RandomCrop", base_options(options), options.data_format),
      options_(sized(options, "RandomCrop")) {
  keep_integers();
  use_seed(options.seed);
}

Tensor RandomCrop::transform(const Tensor& images) {
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const int64_t h = options_.height;
  const int64_t w = options_.width;
  if (height > h && width > w) {
    const auto start = [&](int64_t room) {
      return ops::cast(uniform({}, 0, static_cast<double>(room + 1)), DType::int32);
    };
    const Tensor zero = Tensor::full(DType::int32, {}, 0.0);
    const Tensor top = start(height - h);
    const Tensor left = start(width - w);
    return ops::dynamic_slice(images, ops::stack({zero, top, left, zero}),
                              {images.dim(0), h, w, images.dim(3)});
  }
  const int64_t crop_height = std::clamp<int64_t>(width * h / w, 1, height);
  const int64_t crop_width = std::clamp<int64_t>(height * w / h, 1, width);
  const int64_t top = (height - crop_height) / 2;
  const int64_t left = (width - crop_width) / 2;
  const Tensor part = cut(images, top, left, std::min(h, height - top), std::min(w, width - left));
  return resize_images(part, h, w, "bilinear", false);
}

Json RandomCrop::get_config() const { return config_of(*this, options_); }

LayerPtr resizing_from_config(const Json& config) {
  return Resizing(image_options<ResizingOptions>(config, "Resizing")).share();
}
LayerPtr center_crop_from_config(const Json& config) {
  return CenterCrop(image_options<CenterCropOptions>(config, "CenterCrop")).share();
}
LayerPtr random_crop_from_config(const Json& config) {
  return RandomCrop(image_options<RandomCropOptions>(config, "RandomCrop")).share();
}

}  // namespace antler
