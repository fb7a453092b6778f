#include "applications/inception.h"

#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"

namespace antler::applications {

Tensor inception_conv(const Tensor& x, int64_t filters, const Sizes& size,
                      const InceptionConv& options) {
  const auto named = [&](const char* suffix) {
    return options.name ? std::optional<std::string>(*options.name + suffix) : std::nullopt;
  };
  Tensor y = Conv2D(filters, size,
                    {.strides = options.strides,
                     .padding = options.padding,
                     .use_bias = false,
                     .name = options.name})(x);
  y = BatchNormalization({.axis = 3, .scale = false, .name = named("_bn")})(y);
  return Activation("relu", {.name = named("_ac")})(y);
}

Tensor inception_max_pool(const Tensor& x) {
  return MaxPooling2D({.pool_size = 3, .strides = 2})(x);
}

Tensor inception_average_pool(const Tensor& x) {
  return AveragePooling2D({.pool_size = 3, .strides = 1, .padding = "same"})(x);
}

Tensor inception_join(const Tensors& branches, const std::optional<std::string>& name) {
  return layers::concatenate(branches, {.axis = 3, .name = name});
}

}  // namespace antler::applications
