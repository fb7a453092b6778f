#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/tensor.h"
#include "antler/nn/sizes.h"

namespace antler::applications {

/// Options of inception_conv().
struct InceptionConv {
  int64_t strides = 1;
  std::string padding = "same";
  std::optional<std::string> name = {};  ///< of the convolution; also NAME_bn and NAME_ac
};

/// Convolution without bias, batch normalization without gamma, relu.
Tensor inception_conv(const Tensor& x, int64_t filters, const Sizes& size,
                      const InceptionConv& options = {});
/// Max pooling: 3 x 3, stride 2.
Tensor inception_max_pool(const Tensor& x);
/// Average pooling: 3 x 3, stride 1, padding "same".
Tensor inception_average_pool(const Tensor& x);
/// Concatenates the channels.
Tensor inception_join(const Tensors& branches, const std::optional<std::string>& name = {});

}  // namespace antler::applications
