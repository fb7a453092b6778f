#include "applications/efficient_block.h"

#include <vector>

#include "antler/nn/initializers.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/regularization.h"
#include "antler/nn/layers/reshaping.h"

namespace antler::applications {

Initializer efficient_conv_initializer() {
  return initializers::VarianceScaling({.scale = 2.0, .mode = "fan_out"});
}

Initializer efficient_dense_initializer() {
  return initializers::VarianceScaling(
      {.scale = 1.0 / 3.0, .mode = "fan_out", .distribution = "uniform"});
}

std::string efficient_block_prefix(size_t block, int64_t repetition) {
  return "block" + std::to_string(block + 1) + static_cast<char>('a' + repetition) + "_";
}

Tensor efficient_squeeze_excite(const Tensor& x, int64_t channels, int64_t squeezed,
                                const std::string& prefix) {
  Tensor gate = GlobalAveragePooling2D({.name = prefix + "se_squeeze"})(x);
  gate = Reshape({1, 1, channels}, {.name = prefix + "se_reshape"})(gate);
  gate = Conv2D(squeezed, 1,
                {.padding = "same",
                 .activation = "swish",
                 .kernel_initializer = efficient_conv_initializer(),
                 .name = prefix + "se_reduce"})(gate);
  gate = Conv2D(channels, 1,
                {.padding = "same",
                 .activation = "sigmoid",
                 .kernel_initializer = efficient_conv_initializer(),
                 .name = prefix + "se_expand"})(gate);
  return layers::multiply({x, gate}, {.name = prefix + "se_excite"});
}

Tensor efficient_residual(const Tensor& input, const Tensor& x, double drop_rate,
                          const std::string& prefix) {
  Tensor y = x;
  if (drop_rate > 0) {
    y = Dropout(drop_rate, {.noise_shape = {None, 1, 1, 1}, .name = prefix + "drop"})(y);
  }
  return layers::add({y, input}, {.name = prefix + "add"});
}

}  // namespace antler::applications
