// ResNet50, ResNet101, ResNet152 and their second versions.
#include <array>
#include <string>

#include "antler/applications/models.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/reshaping.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

/// Numbers of blocks of the four stages.
using StageDepths = std::array<int64_t, 4>;
constexpr StageDepths kDepths50 = {3, 4, 6, 3};
constexpr StageDepths kDepths101 = {3, 4, 23, 3};
constexpr StageDepths kDepths152 = {3, 8, 36, 3};

struct ResNetKind {
  const char* name;
  StageDepths depths;
  bool preactivated;  ///< version 2: batch normalization and relu before the convolutions
  const char* hash_with_top;
  const char* hash_without_top;
};

Tensor resnet_bn(const Tensor& x, const std::string& name) {
  return BatchNormalization({.axis = 3, .epsilon = 1.001e-5, .name = name})(x);
}
Tensor resnet_relu(const Tensor& x, const std::string& name) {
  return Activation("relu", {.name = name})(x);
}

Tensor resnet_block(const Tensor& x, int64_t filters, int64_t stride, bool project,
                    const std::string& name) {
  Tensor shortcut = x;
  if (project) {
    shortcut = Conv2D(4 * filters, 1, {.strides = stride, .name = name + "_0_conv"})(x);
    shortcut = resnet_bn(shortcut, name + "_0_bn");
  }
  Tensor y = Conv2D(filters, 1, {.strides = stride, .name = name + "_1_conv"})(x);
  y = resnet_relu(resnet_bn(y, name + "_1_bn"), name + "_1_relu");
  y = Conv2D(filters, 3, {.padding = "same", .name = name + "_2_conv"})(y);
  y = resnet_relu(resnet_bn(y, name + "_2_bn"), name + "_2_relu");
  y = Conv2D(4 * filters, 1, {.name = name + "_3_conv"})(y);
  y = resnet_bn(y, name + "_3_bn");
  return resnet_relu(Add({.name = name + "_add"})({shortcut, y}), name + "_out");
}

Tensor preactivated_block(const Tensor& x, int64_t filters, int64_t stride, bool project,
                          const std::string& name) {
  const Tensor before = resnet_relu(resnet_bn(x, name + "_preact_bn"), name + "_preact_relu");
  Tensor shortcut = x;
  if (project) {
    shortcut = Conv2D(4 * filters, 1, {.strides = stride, .name = name + "_0_conv"})(before);
  } else if (stride > 1) {
    shortcut = MaxPooling2D({.pool_size = 1, .strides = stride})(x);
  }
  Tensor y =
      Conv2D(filters, 1, {.strides = 1, .use_bias = false, .name = name + "_1_conv"})(before);
  y = resnet_relu(resnet_bn(y, name + "_1_bn"), name + "_1_relu");
  y = ZeroPadding2D({{1, 1}, {1, 1}}, {.name = name + "_2_pad"})(y);
  y = Conv2D(filters, 3, {.strides = stride, .use_bias = false, .name = name + "_2_conv"})(y);
  y = resnet_relu(resnet_bn(y, name + "_2_bn"), name + "_2_relu");
  y = Conv2D(4 * filters, 1, {.name = name + "_3_conv"})(y);
  return Add({.name = name + "_out"})({shortcut, y});
}

/// The four stages. Version 1 halves the image at the start of all but the first, version 2 at the
/// end of all but the last.
Tensor resnet_stages(Tensor x, const ResNetKind& kind) {
  int64_t filters = 64;
  for (size_t stage = 0; stage < kind.depths.size(); ++stage, filters *= 2) {
    const int64_t depth = kind.depths[stage];
    for (int64_t block = 1; block <= depth; ++block) {
      const std::string name =
          "conv" + std::to_string(stage + 2) + "_block" + std::to_string(block);
      const bool first = block == 1;
      if (kind.preactivated) {
        const bool halve = block == depth && stage + 1 < kind.depths.size();
        x = preactivated_block(x, filters, halve ? 2 : 1, first, name);
      } else {
        x = resnet_block(x, filters, first && stage > 0 ? 2 : 1, first, name);
      }
    }
  }
  return x;
}

Model make_resnet(const ResNetKind& kind, const ApplicationOptions& options) {
  const Tensor input = begin_model(options, 224, 32);
  Tensor x = ZeroPadding2D({{3, 3}, {3, 3}}, {.name = "conv1_pad"})(input);
  x = Conv2D(64, 7, {.strides = 2, .name = "conv1_conv"})(x);
  if (!kind.preactivated) x = resnet_relu(resnet_bn(x, "conv1_bn"), "conv1_relu");
  x = ZeroPadding2D({{1, 1}, {1, 1}}, {.name = "pool1_pad"})(x);
  x = MaxPooling2D({.pool_size = 3, .strides = 2, .name = "pool1_pool"})(x);
  x = resnet_stages(x, kind);
  if (kind.preactivated) x = resnet_relu(resnet_bn(x, "post_bn"), "post_relu");
  const std::string file = std::string(kind.name) + "_weights_tf_dim_ordering_tf_kernels";
  return finish_model(
      options, input, end_model(options, x, named_pooling()), kind.name,
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/resnet/",
                       file + ".h5", file + "_notop.h5", kind.hash_with_top,
                       kind.hash_without_top));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model ResNet50(const ApplicationOptions& options) {
  return make_resnet({"resnet50", kDepths50, false, "2cb95161c43110f7111970584f804107",
                      "4d473c1dd8becc155b73f8504c6f6626"},
                     options);
}
Model ResNet101(const ApplicationOptions& options) {
  return make_resnet({"resnet101", kDepths101, false, "f1aeb4b969a6efcfb50fad2f0c20cfc5",
                      "88cf7a10940856eca736dc7b7e228a21"},
                     options);
}
Model ResNet152(const ApplicationOptions& options) {
  return make_resnet({"resnet152", kDepths152, false, "100835be76be38e30d865e96f2aaae62",
                      "ee4c566cf9a93f14d82f913c2dc6dd0c"},
                     options);
}
Model ResNet50V2(const ApplicationOptions& options) {
  return make_resnet({"resnet50v2", kDepths50, true, "3ef43a0b657b3be2300d5770ece849e0",
                      "fac2f116257151a9d068a22e544a4917"},
                     options);
}
Model ResNet101V2(const ApplicationOptions& options) {
  return make_resnet({"resnet101v2", kDepths101, true, "6343647c601c52e1368623803854d971",
                      "c0ed64b8031c3730f411d2eb4eea35b5"},
                     options);
}
Model ResNet152V2(const ApplicationOptions& options) {
  return make_resnet({"resnet152v2", kDepths152, true, "a49b44d1979771252814e80f8ec446f9",
                      "ed17cf2e0169df9d443503ef94b23b33"},
                     options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
