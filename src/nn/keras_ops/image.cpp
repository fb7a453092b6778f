// Operations of keras.ops.image.
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

/// Applies `f` to images with the channels last.
template <class F>
Tensor images_channels_last(const Tensor& x, const Json& config, const F& f) {
  const Json format = option(config, "data_format");
  if (!format.is_string() || format != "channels_first") return f(x);
  return ops::moveaxis(f(ops::moveaxis(x, -3, -1)), -1, -3);
}

ops::ImageSides sides(const Json& config, const std::string& what) {
  const auto side = [&](const char* name) {
    return optional_integer(config, (std::string(name) + what).c_str());
  };
  return {.top = side("top_"),
          .left = side("left_"),
          .bottom = side("bottom_"),
          .right = side("right_"),
          .target_height = optional_integer(config, "target_height"),
          .target_width = optional_integer(config, "target_width")};
}
Nest run_crop(const OpArguments& a, const Json& config) {
  return images_channels_last(operand(a), config, [&](const Tensor& x) {
    return ops::crop_images(x, sides(config, "cropping"));
  });
}
Nest run_pad_images(const OpArguments& a, const Json& config) {
  return images_channels_last(operand(a), config, [&](const Tensor& x) {
    return ops::pad_images(x, sides(config, "padding"));
  });
}
Nest run_extract_patches(const OpArguments& a, const Json& config) {
  const std::vector<int64_t> size = integer_list(config.at("size"));
  const std::vector<int64_t> strides = axes_of(config, "strides");
  std::vector<int64_t> dilation = axes_of(config, "dilation_rate");
  if (dilation.empty()) dilation = {1};
  return images_channels_last(operand(a), config, [&](const Tensor& x) {
    return ops::extract_patches(x, size,
                                {.strides = strides,
                                 .dilation_rate = dilation,
                                 .padding = config.value("padding", std::string("valid"))});
  });
}
Nest run_sobel_edges(const OpArguments& a, const Json&) { return ops::sobel_edges(operand(a)); }
Nest run_ssim(const OpArguments& a, const Json& config) {
  return ops::ssim(operand(a), operand(a, 1),
                   {.max_val = config.value("max_val", 1.0),
                    .filter_size = config.value("filter_size", int64_t{11}),
                    .filter_sigma = config.value("filter_sigma", 1.5),
                    .k1 = config.value("k1", 0.01),
                    .k2 = config.value("k2", 0.03)});
}

std::string text(const Json& config, const char* key, const char* otherwise) {
  const Json value = option(config, key);
  return value.is_string() ? value.get<std::string>() : otherwise;
}
std::string layout(const Json& config) { return text(config, "data_format", "channels_last"); }
/// Two numbers; a single number counts for both.
template <class T>
std::array<T, 2> pair_of(const Json& config, const char* key, T otherwise) {
  Json value = option(config, key);
  if (value.is_null()) return {otherwise, otherwise};
  if (value.is_object()) value = value.at("items");
  if (value.is_number()) return {value.get<T>(), value.get<T>()};
  return {value.at(0).get<T>(), value.at(1).get<T>()};
}

template <Tensor (*convert)(const Tensor&, const std::string&)>
Nest run_color(const OpArguments& a, const Json& config) {
  return convert(operand(a), layout(config));
}
Nest run_resize(const OpArguments& a, const Json& config) {
  const auto [height, width] = pair_of<int64_t>(config, "size", 0);
  return ops::resize(operand(a), {height, width},
                     {.interpolation = text(config, "interpolation", "bilinear"),
                      .antialias = config.value("antialias", false),
                      .crop_to_aspect_ratio = config.value("crop_to_aspect_ratio", false),
                      .pad_to_aspect_ratio = config.value("pad_to_aspect_ratio", false),
                      .fill_mode = text(config, "fill_mode", "constant"),
                      .fill_value = config.value("fill_value", 0.0),
                      .data_format = layout(config)});
}
Nest run_affine(const OpArguments& a, const Json& config) {
  return ops::affine_transform(operand(a), operand(a, 1),
                               {.interpolation = text(config, "interpolation", "bilinear"),
                                .fill_mode = text(config, "fill_mode", "constant"),
                                .fill_value = config.value("fill_value", 0.0),
                                .data_format = layout(config)});
}
Nest run_perspective(const OpArguments& a, const Json& config) {
  return ops::perspective_transform(operand(a), operand(a, 1), operand(a, 2),
                                    {.interpolation = text(config, "interpolation", "bilinear"),
                                     .fill_value = config.value("fill_value", 0.0),
                                     .data_format = layout(config)});
}
Nest run_map_coordinates(const OpArguments& a, const Json& config) {
  return ops::map_coordinates(operand(a), operand(a, 1), config.at("order").get<int>(),
                              {.fill_mode = text(config, "fill_mode", "constant"),
                               .fill_value = config.value("fill_value", 0.0)});
}
Nest run_blur(const OpArguments& a, const Json& config) {
  const std::array<double, 2> sigma = pair_of<double>(config, "sigma", 1);
  return ops::gaussian_blur(operand(a), {.kernel_size = pair_of<int64_t>(config, "kernel_size", 3),
                                         .sigma = {sigma[0], sigma[1]},
                                         .data_format = layout(config)});
}
Nest run_elastic(const OpArguments& a, const Json& config) {
  const Json seed = option(config, "seed");
  if (!seed.is_number_integer()) {
    throw ValueError("ElasticTransform in the graph of a model: `seed` must be a number");
  }
  return ops::elastic_transform(operand(a), Tensor::of<uint32_t>({seed.get<uint32_t>(), 0}),
                                {.alpha = config.value("alpha", 20.0),
                                 .sigma = config.value("sigma", 5.0),
                                 .interpolation = text(config, "interpolation", "bilinear"),
                                 .fill_mode = text(config, "fill_mode", "reflect"),
                                 .fill_value = config.value("fill_value", 0.0),
                                 .data_format = layout(config)});
}
Nest run_scale_and_translate(const OpArguments& a, const Json& config) {
  Shape shape;
  for (size_t i = 0; i < a.at(1).size(); ++i) {
    shape.push_back(static_cast<int64_t>(a[1][i].tensor().item()));
  }
  return ops::scale_and_translate(
      operand(a), shape, operand(a, 2), operand(a, 3), integer_list(config.at("spatial_dims")),
      text(config, "method", "linear"), {.antialias = config.value("antialias", true)});
}

constexpr KerasOpEntry kImageEntries[] = {
    {"RGBToGrayscale", run_color<ops::rgb_to_grayscale>, "image"},
    {"RGBToHSV", run_color<ops::rgb_to_hsv>, "image"},
    {"HSVToRGB", run_color<ops::hsv_to_rgb>, "image"},
    {"Resize", run_resize, "image"},
    {"AffineTransform", run_affine, "image"},
    {"PerspectiveTransform", run_perspective, "image"},
    {"MapCoordinates", run_map_coordinates, "image"},
    {"GaussianBlur", run_blur, "image"},
    {"ElasticTransform", run_elastic, "image"},
    {"ScaleAndTranslate", run_scale_and_translate, "image"},
    {"CropImages", run_crop, "image"},
    {"PadImages", run_pad_images, "image"},
    {"ExtractPatches", run_extract_patches, "image"},
    {"SobelEdges", run_sobel_edges, "image"},
    {"SSIM", run_ssim, "image"},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> image_keras_ops() { return keras_ops::kImageEntries; }

}  // namespace antler
