#pragma once

#include <string>

#include "antler/nn/initializer.h"

/// What EfficientNet and EfficientNetV2 share.
namespace antler::applications {

/// One block: an expansion, a (depthwise) convolution, squeeze-and-excite, a projection.
struct EfficientBlock {
  int64_t kernel_size;
  int64_t repeats;
  int64_t filters_in;
  int64_t filters_out;
  int64_t expand_ratio;
  int64_t strides;
  double se_ratio;     ///< of the features that are squeezed to; 0: none
  bool fused = false;  ///< one plain convolution instead of expansion and depthwise
};

/// The start values of convolutions and of the classifier.
Initializer efficient_conv_initializer();
Initializer efficient_dense_initializer();

/// "block3b_": the names of the layers of the second repetition of the third block begin with it.
std::string efficient_block_prefix(size_t block, int64_t repetition);
/// x times a gate per channel that is computed from the means over the image.
Tensor efficient_squeeze_excite(const Tensor& x, int64_t channels, int64_t squeezed,
                                const std::string& prefix);
/// The end of a block of which input and output have one shape: dropout of whole samples, and the
/// sum.
Tensor efficient_residual(const Tensor& input, const Tensor& x, double drop_rate,
                          const std::string& prefix);

}  // namespace antler::applications
