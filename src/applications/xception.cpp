// Xception.
#include <optional>
#include <string>

#include "antler/applications/models.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

Tensor xception_bn(const Tensor& x, const std::optional<std::string>& name = {}) {
  return BatchNormalization({.axis = -1, .name = name})(x);
}
Tensor xception_relu(const Tensor& x, const std::string& name) {
  return Activation("relu", {.name = name})(x);
}

/// A separable convolution NAME and batch normalization NAME_bn.
Tensor separable_bn(const Tensor& x, int64_t filters, const std::string& name) {
  const Tensor y =
      SeparableConv2D(filters, 3, {.padding = "same", .use_bias = false, .name = name})(x);
  return xception_bn(y, name + "_bn");
}

/// Two separable convolutions and max pooling, with a strided projection as shortcut.
Tensor halving_block(const Tensor& input, int64_t first, int64_t second, int index) {
  const std::string name = "block" + std::to_string(index);
  Tensor shortcut = Conv2D(second, 1, {.strides = 2, .padding = "same", .use_bias = false})(input);
  shortcut = xception_bn(shortcut);
  // The first of these blocks does not begin with a relu, because its input comes from one.
  Tensor x = index > 2 ? xception_relu(input, name + "_sepconv1_act") : input;
  x = separable_bn(x, first, name + "_sepconv1");
  x = xception_relu(x, name + "_sepconv2_act");
  x = separable_bn(x, second, name + "_sepconv2");
  x = MaxPooling2D({.pool_size = 3, .strides = 2, .padding = "same", .name = name + "_pool"})(x);
  return layers::add({x, shortcut});
}

Tensor middle_block(const Tensor& input, int index) {
  const std::string name = "block" + std::to_string(index);
  Tensor x = input;
  for (int i = 1; i <= 3; ++i) {
    const std::string conv = name + "_sepconv" + std::to_string(i);
    x = separable_bn(xception_relu(x, conv + "_act"), 728, conv);
  }
  return layers::add({x, input});
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Keras's name
Model Xception(const ApplicationOptions& options) {
  const Tensor input = begin_model(options, 299, 71);
  Tensor x = Conv2D(32, 3, {.strides = 2, .use_bias = false, .name = "block1_conv1"})(input);
  x = xception_relu(xception_bn(x, "block1_conv1_bn"), "block1_conv1_act");
  x = Conv2D(64, 3, {.use_bias = false, .name = "block1_conv2"})(x);
  x = xception_relu(xception_bn(x, "block1_conv2_bn"), "block1_conv2_act");
  x = halving_block(x, 128, 128, 2);
  x = halving_block(x, 256, 256, 3);
  x = halving_block(x, 728, 728, 4);
  for (int i = 5; i <= 12; ++i) x = middle_block(x, i);
  x = halving_block(x, 728, 1024, 13);
  x = separable_bn(x, 1536, "block14_sepconv1");
  x = xception_relu(x, "block14_sepconv1_act");
  x = separable_bn(x, 2048, "block14_sepconv2");
  x = xception_relu(x, "block14_sepconv2_act");
  const std::string file = "xception_weights_tf_dim_ordering_tf_kernels";
  return finish_model(
      options, input, end_model(options, x, named_average()), "xception",
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/xception/",
                       file + ".h5", file + "_notop.h5", "0a58e3b7378bc2990ea3b43d5981f1f6",
                       "b0042744bf5b25fce3cb969f33bebb97"));
}

}  // namespace antler::applications
