// MobileNetV2.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "antler/applications/models.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/reshaping.h"
#include "applications/convolutions.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

/// Sizes of square images that there are weights for.
constexpr std::array<int64_t, 5> kMobileNetV2Sizes = {96, 128, 160, 192, 224};

bool has_mobilenet_v2_size(const Shape& shape) {
  return shape.rank() == 3 && shape[0] == shape[1] &&
         std::count(kMobileNetV2Sizes.begin(), kMobileNetV2Sizes.end(), shape[0]) > 0;
}

Tensor mobilenet_v2_bn(const Tensor& x, const std::string& name) {
  return BatchNormalization({.axis = -1, .momentum = 0.999, .epsilon = 1e-3, .name = name})(x);
}
Tensor relu6(const Tensor& x, const std::string& name) {
  return ReLU({.max_value = 6.0, .name = name})(x);
}

struct InvertedResidual {
  int64_t filters;
  int64_t stride;
};

Tensor mobilenet_v2_block(const Tensor& input, const InvertedResidual& block, double alpha,
                          int id) {
  const std::string prefix = id > 0 ? "block_" + std::to_string(id) + "_" : "expanded_conv_";
  const int64_t channels = input.shape()[3];
  const int64_t filters = multiple_of_8(
      static_cast<double>(static_cast<int64_t>(static_cast<double>(block.filters) * alpha)));
  Tensor x = input;
  if (id > 0) {
    x = Conv2D(6 * channels, 1,
               {.padding = "same", .use_bias = false, .name = prefix + "expand"})(x);
    x = relu6(mobilenet_v2_bn(x, prefix + "expand_BN"), prefix + "expand_relu");
  }
  if (block.stride == 2) x = ZeroPadding2D(correct_pad(x, 3), {.name = prefix + "pad"})(x);
  x = DepthwiseConv2D(3, {.strides = block.stride,
                          .padding = block.stride == 1 ? "same" : "valid",
                          .use_bias = false,
                          .name = prefix + "depthwise"})(x);
  x = relu6(mobilenet_v2_bn(x, prefix + "depthwise_BN"), prefix + "depthwise_relu");
  x = Conv2D(filters, 1, {.padding = "same", .use_bias = false, .name = prefix + "project"})(x);
  x = mobilenet_v2_bn(x, prefix + "project_BN");
  const bool residual = channels == filters && block.stride == 1;
  return residual ? Add({.name = prefix + "add"})({input, x}) : x;
}

int64_t mobilenet_v2_weights_size(double alpha, const Shape& shape) {
  constexpr std::array<double, 6> kAlphas = {0.35, 0.5, 0.75, 1.0, 1.3, 1.4};
  if (std::find(kAlphas.begin(), kAlphas.end(), alpha) == kAlphas.end()) {
    throw ValueError(fmt::format(
        "If imagenet weights are being loaded, `alpha` must be one of 0.35, 0.50, 0.75, 1.0, 1.3 "
        "or 1.4 only. Received: alpha={}",
        alpha));
  }
  if (has_mobilenet_v2_size(shape)) return shape[0];
  logging::warning(
      "`input_shape` is undefined or not square, or not of 96, 128, 160, 192 or 224 rows. Weights "
      "for input shape (224, 224) will be loaded as the default.");
  return 224;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Keras's name
Model MobileNetV2(const MobileNetV2Options& options) {
  const ApplicationOptions common = common_options(options);
  check_arguments(common);
  int64_t default_size = 224;
  if (options.input_shape && has_mobilenet_v2_size(*options.input_shape)) {
    default_size = (*options.input_shape)[0];
  } else if (!options.input_shape && options.input_tensor.defined()) {
    const Shape& given = options.input_tensor.shape();
    if (has_mobilenet_v2_size(Shape(given.begin() + 1, given.end()))) default_size = given[1];
  }
  const Shape shape = obtain_input_shape(common, default_size, 32);
  if (options.input_shape && options.input_tensor.defined() &&
      options.input_tensor.shape().dim(2) != shape[1]) {
    throw ValueError(
        "input_tensor.shape[2] must equal input_shape[1]. Received: input_tensor {}, "
        "input_shape={}",
        options.input_tensor.shape(), shape);
  }
  int64_t size = shape[0];
  if (is_imagenet(common)) size = mobilenet_v2_weights_size(options.alpha, shape);
  const Tensor input = image_input(common, shape);
  Tensor x = Conv2D(multiple_of_8(32 * options.alpha), 3,
                    {.strides = 2, .padding = "same", .use_bias = false, .name = "Conv1"})(input);
  x = relu6(mobilenet_v2_bn(x, "bn_Conv1"), "Conv1_relu");
  constexpr std::array<InvertedResidual, 17> kBlocks = {{{16, 1},
                                                         {24, 2},
                                                         {24, 1},
                                                         {32, 2},
                                                         {32, 1},
                                                         {32, 1},
                                                         {64, 2},
                                                         {64, 1},
                                                         {64, 1},
                                                         {64, 1},
                                                         {96, 1},
                                                         {96, 1},
                                                         {96, 1},
                                                         {160, 2},
                                                         {160, 1},
                                                         {160, 1},
                                                         {320, 1}}};
  for (size_t i = 0; i < kBlocks.size(); ++i) {
    x = mobilenet_v2_block(x, kBlocks[i], options.alpha, static_cast<int>(i));
  }
  const int64_t last = options.alpha > 1.0 ? multiple_of_8(1280 * options.alpha) : 1280;
  x = Conv2D(last, 1, {.use_bias = false, .name = "Conv_1"})(x);
  x = relu6(mobilenet_v2_bn(x, "Conv_1_bn"), "out_relu");
  const std::string rows = size == Shape::kUnknown ? "None" : std::to_string(size);
  const std::string file =
      "mobilenet_v2_weights_tf_dim_ordering_tf_kernels_" + python_float(options.alpha) + "_" + rows;
  return finish_model(
      common, input, end_model(common, x, {}),
      fmt::format("mobilenetv2_{:.2f}_{}", options.alpha, rows),
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/mobilenet_v2/",
                       file + ".h5", file + "_no_top.h5"));
}

}  // namespace antler::applications
