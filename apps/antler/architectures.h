#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// Networks that `antler new` proposes. Each goes from a placeholder to the features that an output
/// layer reads.
namespace antler::cli {

/// Hidden layers of these sizes; inputs of a rank above 2 are flattened.
Tensor mlp(Tensor x, const std::vector<int64_t>& units);
/// Blocks of a convolution and a pooling until a side is at most 8, then a flat vector with
/// dropout.
Tensor convnet(Tensor x);
/// The residual network of depth 6 n + 2 for small images (He, Zhang, Ren, Sun, 2015, 4.2); n = 3
/// is ResNet-20. Images of more than 64 pixels are halved first.
Tensor resnet(Tensor x, int64_t n = 3);
/// LSTM over a sequence [length, features], or over the embeddings of word numbers [length] where
/// there is a vocabulary.
Tensor lstm(Tensor x, int64_t vocabulary, int64_t units);
/// Two encoder blocks (Vaswani et al., 2017) with learned positions, averaged over the steps of the
/// same.
Tensor transformer(Tensor x, int64_t vocabulary, int64_t units);

}  // namespace antler::cli
