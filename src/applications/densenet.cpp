// DenseNet121, DenseNet169, DenseNet201.
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

constexpr int64_t kGrowthRate = 32;

Tensor densenet_bn_relu(const Tensor& x, const std::string& bn, const std::string& relu) {
  const Tensor y = BatchNormalization({.axis = 3, .epsilon = 1.001e-5, .name = bn})(x);
  return Activation("relu", {.name = relu})(y);
}

Tensor densenet_layer(const Tensor& x, const std::string& name) {
  Tensor y = densenet_bn_relu(x, name + "_0_bn", name + "_0_relu");
  y = Conv2D(4 * kGrowthRate, 1, {.use_bias = false, .name = name + "_1_conv"})(y);
  y = densenet_bn_relu(y, name + "_1_bn", name + "_1_relu");
  y = Conv2D(kGrowthRate, 3, {.padding = "same", .use_bias = false, .name = name + "_2_conv"})(y);
  return layers::concatenate({x, y}, {.axis = 3, .name = name + "_concat"});
}

/// Halves rows, columns and channels.
Tensor densenet_transition(const Tensor& x, const std::string& name) {
  Tensor y = densenet_bn_relu(x, name + "_bn", name + "_relu");
  y = Conv2D(y.shape()[3] / 2, 1, {.use_bias = false, .name = name + "_conv"})(y);
  return AveragePooling2D({.pool_size = 2, .strides = 2, .name = name + "_pool"})(y);
}

Model densenet(const std::string& name, const std::array<int, 4>& depths, const char* hash_with_top,
               const char* hash_without_top, const ApplicationOptions& options) {
  const Tensor input = begin_model(options, 224, 32);
  Tensor x = ZeroPadding2D(EdgeSizes{{3, 3}, {3, 3}})(input);
  x = Conv2D(64, 7, {.strides = 2, .use_bias = false, .name = "conv1_conv"})(x);
  x = densenet_bn_relu(x, "conv1_bn", "conv1_relu");
  x = ZeroPadding2D(EdgeSizes{{1, 1}, {1, 1}})(x);
  x = MaxPooling2D({.pool_size = 3, .strides = 2, .name = "pool1"})(x);
  for (size_t stage = 0; stage < depths.size(); ++stage) {
    const std::string id = std::to_string(stage + 2);
    for (int i = 1; i <= depths[stage]; ++i) {
      x = densenet_layer(x, "conv" + id + "_block" + std::to_string(i));
    }
    if (stage + 1 < depths.size()) x = densenet_transition(x, "pool" + id);
  }
  x = densenet_bn_relu(x, "bn", "relu");
  const std::string file = name + "_weights_tf_dim_ordering_tf_kernels";
  return finish_model(
      options, input, end_model(options, x, named_pooling()), name,
      imagenet_weights("https://storage.googleapis.com/tensorflow/keras-applications/densenet/",
                       file + ".h5", file + "_notop.h5", hash_with_top, hash_without_top));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model DenseNet121(const ApplicationOptions& options) {
  return densenet("densenet121", {6, 12, 24, 16}, "9d60b8095a5708f2dcce2bca79d332c7",
                  "30ee3e1110167f948a6b9946edeeb738", options);
}
Model DenseNet169(const ApplicationOptions& options) {
  return densenet("densenet169", {6, 12, 32, 32}, "d699b8f76981ab1b30698df4c175e90b",
                  "b8c4d4c20dd625c148057b9ff1c1176b", options);
}
Model DenseNet201(const ApplicationOptions& options) {
  return densenet("densenet201", {6, 12, 48, 32}, "1ceb130c1ea1b78c3bf6114dbdfd8807",
                  "c13680b51ded0fb44dff2d8f86ac8bb1", options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
