// EfficientNetV2B0 to B3, S, M and L.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "antler/applications/models.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/nn/layers/regularization.h"
#include "applications/efficient_block.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

constexpr double kSurvival = 0.2;
constexpr double kTopDropout = 0.2;

// kernel, repeats, in, out, expansion, stride, squeeze, fused
using BlockTable = std::vector<EfficientBlock>;
const BlockTable kBlocksB = {
    {3, 1, 32, 16, 1, 1, 0, true},      {3, 2, 16, 32, 4, 2, 0, true},
    {3, 2, 32, 48, 4, 2, 0, true},      {3, 3, 48, 96, 4, 2, 0.25, false},
    {3, 5, 96, 112, 6, 1, 0.25, false}, {3, 8, 112, 192, 6, 2, 0.25, false}};
const BlockTable kBlocksS = {
    {3, 2, 24, 24, 1, 1, 0, true},       {3, 4, 24, 48, 4, 2, 0, true},
    {3, 4, 48, 64, 4, 2, 0, true},       {3, 6, 64, 128, 4, 2, 0.25, false},
    {3, 9, 128, 160, 6, 1, 0.25, false}, {3, 15, 160, 256, 6, 2, 0.25, false}};
const BlockTable kBlocksM = {
    {3, 3, 24, 24, 1, 1, 0, true},        {3, 5, 24, 48, 4, 2, 0, true},
    {3, 5, 48, 80, 4, 2, 0, true},        {3, 7, 80, 160, 4, 2, 0.25, false},
    {3, 14, 160, 176, 6, 1, 0.25, false}, {3, 18, 176, 304, 6, 2, 0.25, false},
    {3, 5, 304, 512, 6, 1, 0.25, false}};
const BlockTable kBlocksL = {
    {3, 4, 32, 32, 1, 1, 0, true},        {3, 7, 32, 64, 4, 2, 0, true},
    {3, 7, 64, 96, 4, 2, 0, true},        {3, 10, 96, 192, 4, 2, 0.25, false},
    {3, 19, 192, 224, 6, 1, 0.25, false}, {3, 25, 224, 384, 6, 2, 0.25, false},
    {3, 7, 384, 640, 6, 1, 0.25, false}};

struct EfficientNetV2Kind {
  const char* name;
  const BlockTable& blocks;
  double width;
  double depth;
  int64_t size;
  const char* hash_with_top;
  const char* hash_without_top;
  bool imagenet_statistics =
      false;  ///< normalize with ImageNet statistics; false: scale to [-1, 1]
};

Tensor efficientnet_v2_bn(const Tensor& x, const std::string& name) {
  return BatchNormalization({.axis = 3, .momentum = 0.9, .name = name})(x);
}
Tensor silu_activation(const Tensor& x, const std::string& name) {
  return Activation("swish", {.name = name})(x);
}
Tensor efficientnet_v2_conv(const Tensor& x, int64_t filters, int64_t size, int64_t strides,
                            const std::string& name) {
  return Conv2D(filters, size,
                {.strides = strides,
                 .padding = "same",
                 .use_bias = false,
                 .kernel_initializer = efficient_conv_initializer(),
                 .name = name})(x);
}

Tensor efficientnet_v2_block(const Tensor& input, const EfficientBlock& block, double drop_rate,
                             const std::string& prefix) {
  const int64_t expanded = block.filters_in * block.expand_ratio;
  const bool expands = block.expand_ratio != 1;
  Tensor x = input;
  if (expands) {
    x = efficientnet_v2_conv(x, expanded, block.fused ? block.kernel_size : 1,
                             block.fused ? block.strides : 1, prefix + "expand_conv");
    x = silu_activation(efficientnet_v2_bn(x, prefix + "expand_bn"), prefix + "expand_activation");
  }
  if (!block.fused) {
    x = DepthwiseConv2D(block.kernel_size, {.strides = block.strides,
                                            .padding = "same",
                                            .use_bias = false,
                                            .depthwise_initializer = efficient_conv_initializer(),
                                            .name = prefix + "dwconv2"})(x);
    x = silu_activation(efficientnet_v2_bn(x, prefix + "bn"), prefix + "activation");
  }
  if (block.se_ratio > 0) {
    const auto squeezed =
        static_cast<int64_t>(static_cast<double>(block.filters_in) * block.se_ratio);
    x = efficient_squeeze_excite(x, expanded, std::max<int64_t>(1, squeezed), prefix);
  }
  const bool spatial = block.fused && !expands;
  x = efficientnet_v2_conv(x, block.filters_out, spatial ? block.kernel_size : 1,
                           spatial ? block.strides : 1, prefix + "project_conv");
  x = efficientnet_v2_bn(x, prefix + "project_bn");
  if (spatial) x = silu_activation(x, prefix + "project_activation");
  const bool residual = block.strides == 1 && block.filters_in == block.filters_out;
  return residual ? efficient_residual(input, x, drop_rate, prefix) : x;
}

/// Rounds to a multiple of 8 without the 90 % rule of multiple_of_8().
int64_t efficientnet_v2_filters(int64_t filters, double width) {
  const double scaled = static_cast<double>(filters) * width;
  return std::max<int64_t>(8, static_cast<int64_t>(scaled + 4) / 8 * 8);
}

Tensor efficientnet_v2_blocks(Tensor x, const EfficientNetV2Kind& kind) {
  int64_t total = 0;  // as in Keras, does not count the repetitions that the depth factor adds
  for (const EfficientBlock& block : kind.blocks) total += block.repeats;
  int64_t index = 0;
  for (size_t i = 0; i < kind.blocks.size(); ++i) {
    EfficientBlock block = kind.blocks[i];
    block.filters_in = efficientnet_v2_filters(block.filters_in, kind.width);
    block.filters_out = efficientnet_v2_filters(block.filters_out, kind.width);
    const auto repeats =
        static_cast<int64_t>(std::ceil(kind.depth * static_cast<double>(block.repeats)));
    for (int64_t j = 0; j < repeats; ++j, ++index) {
      const double drop_rate = kSurvival * static_cast<double>(index) / static_cast<double>(total);
      x = efficientnet_v2_block(x, block, drop_rate, efficient_block_prefix(i, j));
      block.strides = 1;
      block.filters_in = block.filters_out;
    }
  }
  return x;
}

Tensor efficientnet_v2_preprocessing(const EfficientNetV2Kind& kind, const Tensor& x) {
  if (!kind.imagenet_statistics || x.shape()[3] != 3) {
    return Rescaling(1.0 / 128.0, {.offset = -1.0})(x);
  }
  const Tensor mean = Tensor::of<float>({0.485F, 0.456F, 0.406F}, {3});
  const Tensor variance =
      Tensor::of<float>({static_cast<float>(0.229 * 0.229), static_cast<float>(0.224 * 0.224),
                         static_cast<float>(0.225 * 0.225)},
                        {3});
  return Normalization({.axis = {3}, .mean = mean, .variance = variance})(Rescaling(1.0 / 255)(x));
}

Model efficientnet_v2(const EfficientNetV2Kind& kind, const EfficientNetV2Options& options) {
  const ApplicationOptions common = common_options(options);
  const Tensor input = begin_model(common, kind.size, 32);
  Tensor x = options.include_preprocessing ? efficientnet_v2_preprocessing(kind, input) : input;
  const int64_t stem = efficientnet_v2_filters(kind.blocks[0].filters_in, kind.width);
  x = efficientnet_v2_conv(x, stem, 3, 2, "stem_conv");
  x = silu_activation(efficientnet_v2_bn(x, "stem_bn"), "stem_activation");
  x = efficientnet_v2_blocks(x, kind);
  x = efficientnet_v2_conv(x, efficientnet_v2_filters(1280, kind.width), 1, 1, "top_conv");
  x = silu_activation(efficientnet_v2_bn(x, "top_bn"), "top_activation");
  if (options.include_top) {
    x = GlobalAveragePooling2D({.name = "avg_pool"})(x);
    x = Dropout(kTopDropout, {.name = "top_dropout"})(x);
    x = Dense(options.classes, {.activation = options.classifier_activation,
                                .kernel_initializer = efficient_dense_initializer(),
                                .bias_initializer = initializers::Constant(0),
                                .name = "predictions"})(x);
  } else {
    x = pooled(common, x, named_pooling());
  }
  const std::string name = kind.name;
  return finish_model(
      common, input, x, name,
      imagenet_weights(
          "https://storage.googleapis.com/tensorflow/keras-applications/efficientnet_v2/",
          name + ".h5", name + "_notop.h5", kind.hash_with_top, kind.hash_without_top));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model EfficientNetV2B0(const EfficientNetV2Options& options) {
  return efficientnet_v2(
      {"efficientnetv2-b0", kBlocksB, 1.0, 1.0, 224, "21ecbf6da12460d5c40bb2f29ceb2188",
       "893217f2bb855e2983157299931e43ff", true},
      options);
}
Model EfficientNetV2B1(const EfficientNetV2Options& options) {
  return efficientnet_v2(
      {"efficientnetv2-b1", kBlocksB, 1.0, 1.1, 240, "069f0534ff22adf035c89e2d9547a9dc",
       "0e80663031ca32d657f9caa404b6ec37", true},
      options);
}
Model EfficientNetV2B2(const EfficientNetV2Options& options) {
  return efficientnet_v2(
      {"efficientnetv2-b2", kBlocksB, 1.1, 1.2, 260, "424e49f28180edbde1e94797771950a7",
       "1dfe2e7a5d45b6632553a8961ea609eb", true},
      options);
}
Model EfficientNetV2B3(const EfficientNetV2Options& options) {
  return efficientnet_v2(
      {"efficientnetv2-b3", kBlocksB, 1.2, 1.4, 300, "1f1fc43bd98a6e4fd8fdfd551e02c7a0",
       "f6abf7b5849ac99a89b50dd3fd532856", true},
      options);
}
Model EfficientNetV2S(const EfficientNetV2Options& options) {
  return efficientnet_v2({"efficientnetv2-s", kBlocksS, 1.0, 1.0, 384,
                          "e1d88a8495beba45748fedd0cecbe016", "af0682fb74e8c54910f2d4393339c070"},
                         options);
}
Model EfficientNetV2M(const EfficientNetV2Options& options) {
  return efficientnet_v2({"efficientnetv2-m", kBlocksM, 1.0, 1.0, 480,
                          "a3bf6aa3276309f4fc6a34aa114c95cd", "1b8dc055df72dde80d614482840fe342"},
                         options);
}
Model EfficientNetV2L(const EfficientNetV2Options& options) {
  return efficientnet_v2({"efficientnetv2-l", kBlocksL, 1.0, 1.0, 480,
                          "27e6d408b53c7ebc868fefa357689935", "b0b66b5c863aef5b46e8608fe1711615"},
                         options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
