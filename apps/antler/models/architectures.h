#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"

/// The networks of `antler new`, `train` and `tune`, from a placeholder to the features for an
/// output layer.
namespace antler::cli {

/// Dense layers of these sizes. Inputs of rank above 2 are flattened.
Tensor mlp(Tensor x, const std::vector<int64_t>& units);
/// Convolution and pooling until both sides are at most 8, then flatten and dropout.
Tensor convnet(Tensor x);
/// The residual network of depth 6 n + 2 for small images (He, Zhang, Ren, Sun, 2015, 4.2); n = 3
/// is ResNet-20. Images of more than 64 pixels are halved first.
Tensor resnet(Tensor x, int64_t n = 3);
/// LSTM over a sequence [length, features] or, if `vocabulary` > 0, over the embeddings of tokens
/// [length].
Tensor lstm(Tensor x, int64_t vocabulary, int64_t units);
/// Two encoder blocks (Vaswani et al., 2017) with learned positions and average pooling; inputs as
/// for lstm().
Tensor transformer(Tensor x, int64_t vocabulary, int64_t units);

}  // namespace antler::cli
