// EfficientNetB0 to EfficientNetB7.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "antler/applications/models.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/nn/layers/regularization.h"
#include "antler/nn/layers/reshaping.h"
#include "applications/convolutions.h"
#include "applications/efficient_block.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

constexpr std::array<EfficientBlock, 7> kEfficientBlocks = {{{3, 1, 32, 16, 1, 1, 0.25},
                                                             {3, 2, 16, 24, 6, 2, 0.25},
                                                             {5, 2, 24, 40, 6, 2, 0.25},
                                                             {3, 3, 40, 80, 6, 2, 0.25},
                                                             {5, 3, 80, 112, 6, 1, 0.25},
                                                             {5, 4, 112, 192, 6, 2, 0.25},
                                                             {3, 1, 192, 320, 6, 1, 0.25}}};
constexpr double kEfficientDropConnect = 0.2;

struct EfficientNetKind {
  const char* name;
  double width;
  double depth;
  int64_t size;
  double dropout;
  const char* hash_with_top;
  const char* hash_without_top;
};

Tensor efficientnet_bn(const Tensor& x, const std::string& name) {
  return BatchNormalization({.axis = 3, .name = name})(x);
}
Tensor swish_activation(const Tensor& x, const std::string& name) {
  return Activation("swish", {.name = name})(x);
}

Tensor efficientnet_block(const Tensor& input, const EfficientBlock& block, double drop_rate,
                          const std::string& prefix) {
  const Initializer kernel = efficient_conv_initializer();
  const int64_t expanded = block.filters_in * block.expand_ratio;
  Tensor x = input;
  if (block.expand_ratio != 1) {
    x = Conv2D(expanded, 1,
               {.padding = "same",
                .use_bias = false,
                .kernel_initializer = kernel,
                .name = prefix + "expand_conv"})(x);
    x = swish_activation(efficientnet_bn(x, prefix + "expand_bn"), prefix + "expand_activation");
  }
  if (block.strides == 2) {
    x = ZeroPadding2D(correct_pad(x, block.kernel_size), {.name = prefix + "dwconv_pad"})(x);
  }
  x = DepthwiseConv2D(block.kernel_size, {.strides = block.strides,
                                          .padding = block.strides == 2 ? "valid" : "same",
                                          .use_bias = false,
                                          .depthwise_initializer = kernel,
                                          .name = prefix + "dwconv"})(x);
  x = swish_activation(efficientnet_bn(x, prefix + "bn"), prefix + "activation");
  const auto squeezed =
      static_cast<int64_t>(static_cast<double>(block.filters_in) * block.se_ratio);
  x = efficient_squeeze_excite(x, expanded, std::max<int64_t>(1, squeezed), prefix);
  x = Conv2D(block.filters_out, 1,
             {.padding = "same",
              .use_bias = false,
              .kernel_initializer = kernel,
              .name = prefix + "project_conv"})(x);
  x = efficientnet_bn(x, prefix + "project_bn");
  const bool residual = block.strides == 1 && block.filters_in == block.filters_out;
  return residual ? efficient_residual(input, x, drop_rate, prefix) : x;
}

Tensor efficientnet_blocks(Tensor x, const EfficientNetKind& kind) {
  const auto filters = [&](int64_t n) {
    return multiple_of_8(static_cast<double>(n) * kind.width);
  };
  const auto repeats = [&](int64_t n) {
    return static_cast<int64_t>(std::ceil(kind.depth * static_cast<double>(n)));
  };
  int64_t total = 0;
  for (const EfficientBlock& block : kEfficientBlocks) total += repeats(block.repeats);
  int64_t index = 0;
  for (size_t i = 0; i < kEfficientBlocks.size(); ++i) {
    EfficientBlock block = kEfficientBlocks[i];
    block.filters_in = filters(block.filters_in);
    block.filters_out = filters(block.filters_out);
    for (int64_t j = 0; j < repeats(kEfficientBlocks[i].repeats); ++j, ++index) {
      const double drop_rate =
          kEfficientDropConnect * static_cast<double>(index) / static_cast<double>(total);
      x = efficientnet_block(x, block, drop_rate, efficient_block_prefix(i, j));
      block.strides = 1;
      block.filters_in = block.filters_out;
    }
  }
  return x;
}

Tensor efficientnet_end(const EfficientNetKind& kind, const ApplicationOptions& options, Tensor x) {
  if (!options.include_top) return pooled(options, x, named_pooling());
  x = GlobalAveragePooling2D({.name = "avg_pool"})(x);
  x = Dropout(kind.dropout, {.name = "top_dropout"})(x);
  return Dense(options.classes, {.activation = options.classifier_activation,
                                 .kernel_initializer = efficient_dense_initializer(),
                                 .name = "predictions"})(x);
}

Model efficientnet(const EfficientNetKind& kind, const ApplicationOptions& options) {
  const auto filters = [&](int64_t n) {
    return multiple_of_8(static_cast<double>(n) * kind.width);
  };
  const Tensor input = begin_model(options, kind.size, 32);
  Tensor x = Rescaling(1.0 / 255.0)(input);
  x = Normalization({.axis = {3}})(x);
  if (is_imagenet(options)) {
    // The weights were trained with this bug: variances in place of standard deviations.
    const std::vector<double> scale = {1 / std::sqrt(0.229), 1 / std::sqrt(0.224),
                                       1 / std::sqrt(0.225)};
    x = Rescaling(scale)(x);
  }
  x = ZeroPadding2D(correct_pad(x, 3), {.name = "stem_conv_pad"})(x);
  x = Conv2D(filters(32), 3,
             {.strides = 2,
              .padding = "valid",
              .use_bias = false,
              .kernel_initializer = efficient_conv_initializer(),
              .name = "stem_conv"})(x);
  x = swish_activation(efficientnet_bn(x, "stem_bn"), "stem_activation");
  x = efficientnet_blocks(x, kind);
  x = Conv2D(filters(1280), 1,
             {.padding = "same",
              .use_bias = false,
              .kernel_initializer = efficient_conv_initializer(),
              .name = "top_conv"})(x);
  x = swish_activation(efficientnet_bn(x, "top_bn"), "top_activation");
  x = efficientnet_end(kind, options, x);
  const std::string name = kind.name;
  return finish_model(
      options, input, x, name,
      imagenet_weights("https://storage.googleapis.com/keras-applications/", name + ".h5",
                       name + "_notop.h5", kind.hash_with_top, kind.hash_without_top));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model EfficientNetB0(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb0", 1.0, 1.0, 224, 0.2, "902e53a9f72be733fc0bcb005b3ebbac",
                       "50bc09e76180e00e4465e1a485ddc09d"},
                      options);
}
Model EfficientNetB1(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb1", 1.0, 1.1, 240, 0.2, "1d254153d4ab51201f1646940f018540",
                       "74c4e6b3e1f6a1eea24c589628592432"},
                      options);
}
Model EfficientNetB2(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb2", 1.1, 1.2, 260, 0.3, "b15cce36ff4dcbd00b6dd88e7857a6ad",
                       "111f8e2ac8aa800a7a99e3239f7bfb39"},
                      options);
}
Model EfficientNetB3(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb3", 1.2, 1.4, 300, 0.3, "ffd1fdc53d0ce67064dc6a9c7960ede0",
                       "af6d107764bb5b1abb91932881670226"},
                      options);
}
Model EfficientNetB4(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb4", 1.4, 1.8, 380, 0.4, "18c95ad55216b8f92d7e70b3a046e2fc",
                       "ebc24e6d6c33eaebbd558eafbeedf1ba"},
                      options);
}
Model EfficientNetB5(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb5", 1.6, 2.2, 456, 0.4, "ace28f2a6363774853a83a0b21b9421a",
                       "38879255a25d3c92d5e44e04ae6cec6f"},
                      options);
}
Model EfficientNetB6(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb6", 1.8, 2.6, 528, 0.5, "165f6e37dce68623721b423839de8be5",
                       "9ecce42647a20130c1f39a5d4cb75743"},
                      options);
}
Model EfficientNetB7(const ApplicationOptions& options) {
  return efficientnet({"efficientnetb7", 2.0, 3.1, 600, 0.5, "8c03f828fec3ef71311cd463b6759d99",
                       "cbcfe4450ddf6f3ad90b1b398090fe4a"},
                      options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
