// ConvNeXtTiny to ConvNeXtXLarge.
#include <array>
#include <string>

#include "antler/applications/models.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/application_layers.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/training/sequential.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

constexpr double kFirstScale = 1e-6;

struct ConvNeXtKind {
  const char* name;
  std::array<int, 4> depths;
  int64_t width;  ///< channels of the first stage; each further one has twice as many
  const char* hash_with_top;
  const char* hash_without_top;
};

LayerNormalization convnext_norm(const std::optional<std::string>& name = {}) {
  return LayerNormalization({.epsilon = 1e-6, .name = name});
}

Tensor convnext_block(const Tensor& input, int64_t channels, const std::string& name) {
  Tensor x =
      Conv2D(channels, 7,
             {.padding = "same", .groups = channels, .name = name + "_depthwise_conv"})(input);
  x = convnext_norm(name + "_layernorm")(x);
  x = Dense(4 * channels, {.name = name + "_pointwise_conv_1"})(x);
  x = Activation("gelu", {.name = name + "_gelu"})(x);
  x = Dense(channels, {.name = name + "_pointwise_conv_2"})(x);
  x = LayerScale(kFirstScale, channels, {.name = name + "_layer_scale"})(x);
  return input + Activation("linear", {.name = name + "_identity"})(x);
}

/// What stands before a stage: patches of 4 x 4 before the first, of 2 x 2 before the others.
Sequential convnext_reduction(int stage, int64_t channels, const std::string& name) {
  if (stage == 0) {
    return Sequential({Conv2D(channels, 4, {.strides = 4, .name = name + "_stem_conv"}),
                       convnext_norm(name + "_stem_layernorm")},
                      name + "_stem");
  }
  const std::string id = std::to_string(stage - 1);
  return Sequential(
      {convnext_norm(name + "_downsampling_layernorm_" + id),
       Conv2D(channels, 2, {.strides = 2, .name = name + "_downsampling_conv_" + id})},
      name + "_downsampling_block_" + id);
}

Tensor convnext_end(const ConvNeXtOptions& options, Tensor x, const std::string& name) {
  if (!options.include_top) {
    return convnext_norm()(pooled(common_options(options), x, {}));
  }
  x = GlobalAveragePooling2D({.name = name + "_head_gap"})(x);
  x = convnext_norm(name + "_head_layernorm")(x);
  return Dense(options.classes,
               {.activation = options.classifier_activation, .name = name + "_head_dense"})(x);
}

Model convnext(const ConvNeXtKind& kind, const ConvNeXtOptions& options) {
  const ApplicationOptions common = common_options(options);
  const Tensor input = begin_model(common, 224, 32);
  const std::string name = options.name.value_or(kind.name);
  Tensor x = input;
  if (options.include_preprocessing && x.shape()[3] == 3) {
    x = Normalization(
        {.mean = Tensor::of<double>({0.485 * 255, 0.456 * 255, 0.406 * 255}, {3}),
         .variance = Tensor::of<double>({0.229 * 255 * (0.229 * 255), 0.224 * 255 * (0.224 * 255),
                                         0.225 * 255 * (0.225 * 255)},
                                        {3}),
         .name = name + "_prestem_normalization"})(x);
  }
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t channels = kind.width << stage;
    x = convnext_reduction(stage, channels, name)(x);
    for (int block = 0; block < kind.depths[static_cast<size_t>(stage)]; ++block) {
      x = convnext_block(
          x, channels,
          name + "_stage_" + std::to_string(stage) + "_block_" + std::to_string(block));
    }
  }
  const std::string file = kind.name;
  return finish_model(
      common, input, convnext_end(options, x, name), name,
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/convnext/",
                       file + ".h5", file + "_notop.h5", kind.hash_with_top, kind.hash_without_top),
      Sources::first_alone);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model ConvNeXtTiny(const ConvNeXtOptions& options) {
  return convnext({"convnext_tiny",
                   {3, 3, 9, 3},
                   96,
                   "8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff",
                   "d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1"},
                  options);
}
Model ConvNeXtSmall(const ConvNeXtOptions& options) {
  return convnext({"convnext_small",
                   {3, 3, 27, 3},
                   96,
                   "ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c",
                   "6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab"},
                  options);
}
Model ConvNeXtBase(const ConvNeXtOptions& options) {
  return convnext({"convnext_base",
                   {3, 3, 27, 3},
                   128,
                   "52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6",
                   "40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45"},
                  options);
}
Model ConvNeXtLarge(const ConvNeXtOptions& options) {
  return convnext({"convnext_large",
                   {3, 3, 27, 3},
                   192,
                   "070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6",
                   "96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd"},
                  options);
}
Model ConvNeXtXLarge(const ConvNeXtOptions& options) {
  return convnext({"convnext_xlarge",
                   {3, 3, 27, 3},
                   256,
                   "c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee",
                   "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05"},
                  options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
