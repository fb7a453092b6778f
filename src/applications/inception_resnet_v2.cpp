// InceptionResNetV2.
#include <string>

#include "antler/applications/models.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/application_layers.h"
#include "antler/nn/layers/convolution.h"
#include "applications/image_model.h"
#include "applications/inception.h"

namespace antler::applications {
namespace {

const InceptionConv kReduced = {.strides = 2, .padding = "valid"};
const InceptionConv kCut = {.padding = "valid"};

/// x + scale * projection of the branches.
Tensor inception_residual(const Tensor& x, const Tensors& branches, double scale,
                          const std::string& name, bool activate = true) {
  const Tensor mixed = inception_join(branches, name + "_mixed");
  const Tensor up = Conv2D(x.shape()[3], 1, {.padding = "same", .name = name + "_conv"})(mixed);
  const Tensor y = CustomScaleLayer(scale)({x, up});
  return activate ? Activation("relu", {.name = name + "_ac"})(y) : y;
}

Tensor block35(const Tensor& x, int index) {
  const Tensor one = inception_conv(x, 32, 1);
  const Tensor three = inception_conv(inception_conv(x, 32, 1), 32, 3);
  Tensor twice = inception_conv(x, 32, 1);
  twice = inception_conv(inception_conv(twice, 48, 3), 64, 3);
  return inception_residual(x, {one, three, twice}, 0.17, "block35_" + std::to_string(index));
}

Tensor block17(const Tensor& x, int index) {
  const Tensor one = inception_conv(x, 192, 1);
  Tensor seven = inception_conv(x, 128, 1);
  seven = inception_conv(inception_conv(seven, 160, {1, 7}), 192, {7, 1});
  return inception_residual(x, {one, seven}, 0.1, "block17_" + std::to_string(index));
}

Tensor block8(const Tensor& x, double scale, int index, bool activate) {
  const Tensor one = inception_conv(x, 192, 1);
  Tensor three = inception_conv(x, 192, 1);
  three = inception_conv(inception_conv(three, 224, {1, 3}), 256, {3, 1});
  return inception_residual(x, {one, three}, scale, "block8_" + std::to_string(index), activate);
}

Tensor inception_resnet_stem(const Tensor& input) {
  Tensor x = inception_conv(input, 32, 3, kReduced);
  x = inception_conv(inception_conv(x, 32, 3, kCut), 64, 3);
  x = inception_max_pool(x);
  x = inception_conv(inception_conv(x, 80, 1, kCut), 192, 3, kCut);
  x = inception_max_pool(x);
  const Tensor one = inception_conv(x, 96, 1);
  const Tensor five = inception_conv(inception_conv(x, 48, 1), 64, 5);
  Tensor twice = inception_conv(x, 64, 1);
  twice = inception_conv(inception_conv(twice, 96, 3), 96, 3);
  const Tensor pool = inception_conv(inception_average_pool(x), 64, 1);
  return inception_join({one, five, twice, pool}, "mixed_5b");
}

/// Reduction to 17 x 17.
Tensor reduction_6a(const Tensor& x) {
  const Tensor three = inception_conv(x, 384, 3, kReduced);
  Tensor twice = inception_conv(inception_conv(x, 256, 1), 256, 3);
  twice = inception_conv(twice, 384, 3, kReduced);
  return inception_join({three, twice, inception_max_pool(x)}, "mixed_6a");
}

/// Reduction to 8 x 8.
Tensor reduction_7a(const Tensor& x) {
  const Tensor first = inception_conv(inception_conv(x, 256, 1), 384, 3, kReduced);
  const Tensor second = inception_conv(inception_conv(x, 256, 1), 288, 3, kReduced);
  Tensor third = inception_conv(inception_conv(x, 256, 1), 288, 3);
  third = inception_conv(third, 320, 3, kReduced);
  return inception_join({first, second, third, inception_max_pool(x)}, "mixed_7a");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): Keras's name
Model InceptionResNetV2(const ApplicationOptions& options) {
  const Tensor input = begin_model(options, 299, 75);
  Tensor x = inception_resnet_stem(input);
  for (int i = 1; i <= 10; ++i) x = block35(x, i);
  x = reduction_6a(x);
  for (int i = 1; i <= 20; ++i) x = block17(x, i);
  x = reduction_7a(x);
  for (int i = 1; i <= 10; ++i) x = block8(x, i < 10 ? 0.2 : 1.0, i, i < 10);
  x = inception_conv(x, 1536, 1, {.name = "conv_7b"});
  const std::string file = "inception_resnet_v2_weights_tf_dim_ordering_tf_kernels";
  return finish_model(
      options, input, end_model(options, x, named_average()), "inception_resnet_v2",
      imagenet_weights("https://storage.googleapis.com/tensorflow/"
                       "keras-applications/inception_resnet_v2/",
                       file + ".h5", file + "_notop.h5", "e693bd0210a403b3192acc6073ad2e96",
                       "d19885ff4a710c122648d3b5c3b684e4"));
}

}  // namespace antler::applications
