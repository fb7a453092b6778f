#pragma once

#include <string>

#include "antler/nn/initializer.h"

/// Shared parts of EfficientNet and EfficientNetV2.
namespace antler::applications {

/// One block: an expansion, a (depthwise) convolution, squeeze-and-excite, a projection.
struct EfficientBlock {
  int64_t kernel_size;
  int64_t repeats;
  int64_t filters_in;
  int64_t filters_out;
  int64_t expand_ratio;
  int64_t strides;
  double se_ratio;     ///< squeezed channels per input channel; 0: no squeeze-and-excite
  bool fused = false;  ///< one convolution replaces expansion and depthwise convolution
};

/// Initializers of convolutions and of the classifier.
Initializer efficient_conv_initializer();
Initializer efficient_dense_initializer();

/// Prefix of layer names: "block3b_" is the second repetition of the third block.
std::string efficient_block_prefix(size_t block, int64_t repetition);
/// Squeeze-and-excite: scales the channels of x by gates computed from their means.
Tensor efficient_squeeze_excite(const Tensor& x, int64_t channels, int64_t squeezed,
                                const std::string& prefix);
/// The residual connection: drops whole samples of x, then adds `input`.
Tensor efficient_residual(const Tensor& input, const Tensor& x, double drop_rate,
                          const std::string& prefix);

}  // namespace antler::applications
