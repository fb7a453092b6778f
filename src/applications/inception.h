#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/tensor.h"
#include "antler/nn/sizes.h"

namespace antler::applications {

/// How inception_conv() goes.
struct InceptionConv {
  int64_t strides = 1;
  std::string padding = "same";
  std::optional<std::string> name = {};  ///< NAME of the convolution, NAME_bn and NAME_ac behind it
};

/// The unit of Inception networks: convolution without bias, batch normalization without gamma,
/// relu.
Tensor inception_conv(const Tensor& x, int64_t filters, const Sizes& size,
                      const InceptionConv& options = {});
/// The largest of each 3 x 3 window of every second place.
Tensor inception_max_pool(const Tensor& x);
/// The mean of each 3 x 3 window.
Tensor inception_average_pool(const Tensor& x);
/// The channels of all, in order.
Tensor inception_join(const Tensors& branches, const std::optional<std::string>& name = {});

}  // namespace antler::applications
