#include "models/architectures.h"

#include <algorithm>

#include "antler/antler.h"

namespace antler::cli {
namespace {

constexpr int64_t kLargestSide = 64;

int64_t side_of(const Tensor& x) { return std::max(x.shape()[1], x.shape()[2]); }

/// Convolution and batch normalization.
Tensor conv_bn(const Tensor& x, int64_t filters, int64_t size, int64_t stride) {
  const Tensor y = Conv2D(filters, {size, size},
                          {.strides = {stride, stride},
                           .padding = "same",
                           .use_bias = false,
                           .kernel_initializer = "he_normal"})(x);
  return BatchNormalization()(y);
}

Tensor residual_block(const Tensor& x, int64_t filters, int64_t stride) {
  Tensor y = Activation("relu")(conv_bn(x, filters, 3, stride));
  y = conv_bn(y, filters, 3, 1);
  const bool same = stride == 1 && x.shape()[3] == filters;
  const Tensor shortcut = same ? x : conv_bn(x, filters, 1, stride);
  return Activation("relu")(layers::add({shortcut, y}));
}

Tensor encoder_block(const Tensor& x, int64_t units) {
  constexpr int64_t kHeads = 4;
  Tensor y = MultiHeadAttention({.num_heads = kHeads,
                                 .key_dim = std::max<int64_t>(units / kHeads, 1),
                                 .dropout = 0.1})({x, x});
  const Tensor attended = LayerNormalization({.epsilon = 1e-6})(layers::add({x, y}));
  y = Dense(2 * units, {.activation = "relu"})(attended);
  y = Dropout(0.1)(Dense(units)(y));
  return LayerNormalization({.epsilon = 1e-6})(layers::add({attended, y}));
}

}  // namespace

Tensor mlp(Tensor x, const std::vector<int64_t>& units) {
  if (x.rank() > 2) x = Flatten()(x);
  for (const int64_t size : units) x = Dense(size, {.activation = "relu"})(x);
  return x;
}

Tensor convnet(Tensor x) {
  int64_t filters = 32;
  do {
    x = Conv2D(filters, {3, 3}, {.padding = "same", .activation = "relu"})(x);
    x = MaxPooling2D({.pool_size = {2, 2}, .padding = "same"})(x);
    filters = std::min<int64_t>(2 * filters, 128);
  } while (side_of(x) > 8);
  return Dropout(0.5)(Flatten()(x));
}

Tensor resnet(Tensor x, int64_t n) {
  while (side_of(x) > kLargestSide) {
    x = Activation("relu")(conv_bn(x, 16, 3, 2));
  }
  x = Activation("relu")(conv_bn(x, 16, 3, 1));
  for (const int64_t filters : {16, 32, 64}) {
    for (int64_t block = 0; block < n; ++block) {
      x = residual_block(x, filters, filters > 16 && block == 0 ? 2 : 1);
    }
  }
  return GlobalAveragePooling2D()(x);
}

Tensor lstm(Tensor x, int64_t vocabulary, int64_t units) {
  if (vocabulary > 0) {
    x = Embedding({.input_dim = vocabulary, .output_dim = units, .mask_zero = true})(x);
  }
  return Dropout(0.2)(LSTM(units)(x));
}

Tensor transformer(Tensor x, int64_t vocabulary, int64_t units) {
  const int64_t length = x.shape()[1];
  if (vocabulary > 0) x = Embedding({.input_dim = vocabulary, .output_dim = units})(x);
  // The bias per position and feature is the learned position embedding.
  x = EinsumDense("btd,de->bte", Shape{length, units}, {.bias_axes = "te"})(x);
  for (int block = 0; block < 2; ++block) x = encoder_block(x, units);
  return Dropout(0.2)(GlobalAveragePooling1D()(x));
}

}  // namespace antler::cli
