#pragma once

#include "antler/antler.h"

/// The models of the peer benchmarks, layer by layer. Logits are float32 under any dtype policy.
namespace antler::bench {

Model mlp();
/// The mlp with this number of hidden layers.
Model mlp_of_depth(int64_t hidden);
Model mlp_tiny();
/// A hundred narrow layers, to measure the overhead per kernel.
Model layers100();
/// The convolutional network of Keras's MNIST example.
Model cnn();
/// He et al. 2015, section 4.2, n = 3, with a 1x1 convolution where the shape changes.
Model resnet20();
/// Keras's bidirectional LSTM of the IMDB example.
Model lstm();
/// Keras's "text generation with a miniature GPT".
Model gpt1();
/// Four blocks of four heads.
Model gpt4();

}  // namespace antler::bench
