#include "models.h"

#include <vector>

namespace antler::bench {
namespace {

Tensor in_float32(const Tensor& x) { return Activation("linear", {.dtype = "float32"})(x); }

Model dense_stack(const std::vector<int64_t>& widths) {
  const Tensor inputs = Input({widths[0]});
  Tensor x = inputs;
  for (size_t i = 1; i + 1 < widths.size(); ++i) x = Dense(widths[i], {.activation = "relu"})(x);
  return Model(inputs, in_float32(Dense(widths.back())(x)));
}

Tensor convolution_and_norm(const Tensor& x, int64_t filters, int64_t stride = 1) {
  const Tensor y = Conv2D(filters, {3, 3},
                          {.strides = {stride, stride}, .padding = "same", .use_bias = false})(x);
  return BatchNormalization()(y);
}

/// A learned position embedding added to the token embedding.
class AddPositions : public LayerBase<AddPositions> {
 public:
  AddPositions() : LayerBase("AddPositions") {}
  void build(const Shape& input_shape) override {
    positions_ = add_weight(
        {.shape = {input_shape[1], input_shape[2]}, .initializer = "uniform", .name = "positions"});
  }
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions&) override {
    return input + ops::cast(positions_.value(), input.dtype());
  }
  using Layer::call;

 private:
  Variable positions_;
};

struct GptSizes {
  int64_t vocabulary;
  int64_t length;
  int64_t embedding;
  int64_t heads;
  int64_t key_dim;
  int64_t feed_forward;
  int64_t blocks;
};

Model gpt(const GptSizes& sizes) {
  const Tensor inputs = Input({sizes.length}, {.dtype = "int32"});
  Tensor x = AddPositions()(Embedding(sizes.vocabulary, sizes.embedding)(inputs));
  for (int64_t i = 0; i < sizes.blocks; ++i) {
    CallOptions causal;
    causal.arguments = {{"use_causal_mask", true}};
    Tensor y = MultiHeadAttention(sizes.heads, sizes.key_dim)({x, x}, causal);
    y = Dropout(0.1)(y);
    x = LayerNormalization({.epsilon = 1e-6})(Add()({x, y}));
    y = Dense(sizes.embedding)(Dense(sizes.feed_forward, {.activation = "relu"})(x));
    x = LayerNormalization({.epsilon = 1e-6})(Add()({x, Dropout(0.1)(y)}));
  }
  return Model(inputs, in_float32(Dense(sizes.vocabulary)(x)));
}

}  // namespace

Model mlp() { return mlp_of_depth(2); }

Model mlp_of_depth(int64_t hidden) {
  std::vector<int64_t> widths(static_cast<size_t>(hidden + 1), 512);
  widths.front() = 784;
  widths.push_back(10);
  return dense_stack(widths);
}

Model mlp_tiny() { return dense_stack({784, 64, 64, 10}); }

Model layers100() {
  std::vector<int64_t> widths(101, 8);
  widths.push_back(10);
  return dense_stack(widths);
}

Model cnn() {
  const Tensor inputs = Input({28, 28, 1});
  Tensor x = Conv2D(32, {3, 3}, {.activation = "relu"})(inputs);
  x = MaxPooling2D({.pool_size = {2, 2}})(x);
  x = Conv2D(64, {3, 3}, {.activation = "relu"})(x);
  x = MaxPooling2D({.pool_size = {2, 2}})(x);
  x = Dropout(0.5)(Flatten()(x));
  return Model(inputs, in_float32(Dense(10)(x)));
}

Model resnet20() {
  const Tensor inputs = Input({32, 32, 3});
  Tensor x = ReLU()(convolution_and_norm(inputs, 16));
  for (const int64_t filters : {16, 32, 64}) {
    for (int64_t block = 0; block < 3; ++block) {
      const int64_t stride = filters > 16 && block == 0 ? 2 : 1;
      Tensor y = ReLU()(convolution_and_norm(x, filters, stride));
      y = convolution_and_norm(y, filters);
      if (stride == 2) x = Conv2D(filters, {1, 1}, {.strides = {2, 2}, .padding = "same"})(x);
      x = ReLU()(Add()({x, y}));
    }
  }
  return Model(inputs, in_float32(Dense(10)(GlobalAveragePooling2D()(x))));
}

Model lstm() {
  const Tensor inputs = Input({200}, {.dtype = "int32"});
  Tensor x = Embedding(20000, 128)(inputs);
  x = Bidirectional(LSTM(64, {.return_sequences = true}))(x);
  x = Bidirectional(LSTM(64))(x);
  return Model(inputs, Dense(1, {.activation = "sigmoid", .dtype = "float32"})(x));
}

Model gpt1() { return gpt({20000, 80, 256, 2, 256, 256, 1}); }

Model gpt4() { return gpt({8000, 128, 256, 4, 64, 1024, 4}); }

}  // namespace antler::bench
