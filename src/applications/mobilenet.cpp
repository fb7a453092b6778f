// MobileNet.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "antler/applications/models.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/regularization.h"
#include "antler/nn/layers/reshaping.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

/// Sizes of square images that there are weights for.
constexpr std::array<int64_t, 4> kMobileNetSizes = {128, 160, 192, 224};

Tensor mobilenet_bn_relu(const Tensor& x, const std::string& name) {
  const Tensor y = BatchNormalization({.axis = -1, .name = name + "_bn"})(x);
  return ReLU({.max_value = 6.0, .name = name + "_relu"})(y);
}

Tensor mobilenet_block(Tensor x, int64_t filters, int64_t depth_multiplier, int64_t stride,
                       int block) {
  const std::string id = std::to_string(block);
  if (stride > 1) x = ZeroPadding2D({{0, 1}, {0, 1}}, {.name = "conv_pad_" + id})(x);
  x = DepthwiseConv2D(3, {.strides = stride,
                          .padding = stride > 1 ? "valid" : "same",
                          .depth_multiplier = depth_multiplier,
                          .use_bias = false,
                          .name = "conv_dw_" + id})(x);
  x = mobilenet_bn_relu(x, "conv_dw_" + id);
  x = Conv2D(filters, 1,
             {.strides = 1, .padding = "same", .use_bias = false, .name = "conv_pw_" + id})(x);
  return mobilenet_bn_relu(x, "conv_pw_" + id);
}

/// The size of the images that the weights are for; checks what there are weights of.
int64_t mobilenet_weights_size(const MobileNetOptions& options, const Shape& shape) {
  if (options.depth_multiplier != 1) {
    throw ValueError(
        "If imagenet weights are being loaded, `depth_multiplier` must be 1. Received: "
        "depth_multiplier={}",
        options.depth_multiplier);
  }
  constexpr std::array<double, 4> kAlphas = {0.25, 0.5, 0.75, 1.0};
  if (std::find(kAlphas.begin(), kAlphas.end(), options.alpha) == kAlphas.end()) {
    throw ValueError(fmt::format(
        "If imagenet weights are being loaded, `alpha` can be one of 0.25, 0.50, 0.75 or 1.0 only. "
        "Received: alpha={}",
        options.alpha));
  }
  if (shape[0] == shape[1] &&
      std::count(kMobileNetSizes.begin(), kMobileNetSizes.end(), shape[0])) {
    return shape[0];
  }
  logging::warning(
      "`input_shape` is undefined or not square, or not of 128, 160, 192 or 224 rows. Weights for "
      "input shape (224, 224) will be loaded as the default.");
  return 224;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Keras's name
Model MobileNet(const MobileNetOptions& options) {
  const ApplicationOptions common = common_options(options);
  check_arguments(common);
  const bool has_size =
      options.input_shape && options.input_shape->rank() == 3 &&
      (*options.input_shape)[0] == (*options.input_shape)[1] &&
      std::count(kMobileNetSizes.begin(), kMobileNetSizes.end(), (*options.input_shape)[0]) > 0;
  const Shape shape = obtain_input_shape(common, has_size ? (*options.input_shape)[0] : 224, 32);
  int64_t size = shape[0];
  if (is_imagenet(common)) size = mobilenet_weights_size(options, shape);
  const auto scaled = [&](int64_t filters) {
    return static_cast<int64_t>(static_cast<double>(filters) * options.alpha);
  };
  const Tensor input = image_input(common, shape);
  Tensor x = Conv2D(scaled(32), 3,
                    {.strides = 2, .padding = "same", .use_bias = false, .name = "conv1"})(input);
  x = mobilenet_bn_relu(x, "conv1");
  constexpr std::array<int64_t, 13> kFilters = {64,  128, 128, 256, 256,  512, 512,
                                                512, 512, 512, 512, 1024, 1024};
  for (int i = 0; i < 13; ++i) {
    const bool halve = i == 1 || i == 3 || i == 5 || i == 11;
    x = mobilenet_block(x, scaled(kFilters[static_cast<size_t>(i)]), options.depth_multiplier,
                        halve ? 2 : 1, i + 1);
  }
  if (options.include_top) {
    x = GlobalAveragePooling2D({.keepdims = true})(x);
    x = Dropout(options.dropout, {.name = "dropout"})(x);
    x = Conv2D(options.classes, 1, {.padding = "same", .name = "conv_preds"})(x);
    x = Reshape({options.classes}, {.name = "reshape_2"})(x);
    x = Activation(options.classifier_activation, {.name = "predictions"})(x);
  } else {
    x = pooled(common, x, {});
  }
  const std::string rows = size == Shape::kUnknown ? "None" : std::to_string(size);
  const std::string alpha = options.alpha == 1.0    ? "1_0"
                            : options.alpha == 0.75 ? "7_5"
                            : options.alpha == 0.5  ? "5_0"
                                                    : "2_5";
  const std::string file = "mobilenet_" + alpha + "_" + rows + "_tf";
  return finish_model(
      common, input, x, fmt::format("mobilenet_{:.2f}_{}", options.alpha, rows),
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/mobilenet/",
                       file + ".h5", file + "_no_top.h5"));
}

}  // namespace antler::applications
