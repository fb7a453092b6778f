// Operations of keras.ops.image.
#include <nlohmann/json.hpp>

#include "antler/ops/image.h"
#include "antler/ops/shape.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

/// `f` of images with their channels last.
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
    return ops::extract_patches(x, size, strides, dilation,
                                config.value("padding", std::string("valid")));
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

constexpr KerasOpEntry kImageEntries[] = {
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
