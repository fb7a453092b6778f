// A transformer encoder that classifies sequences. The sequences are images, cut into patches: a
// small Vision Transformer (Dosovitskiy et al. 2020) on the handwritten digits.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// Adds a trained vector to each position of [batch, positions, features].
class PositionEmbedding : public LayerBase<PositionEmbedding> {
 public:
  void build(const Shape& input_shape) override {
    positions_ = add_weight(kw::shape = {input_shape[1], input_shape[2]},
                            kw::initializer = "random_normal", kw::name = "positions");
  }
  Tensor call(const Tensor& x) override { return x + positions_; }

 private:
  Variable positions_;
};

/// Attention, then two dense layers; both parts with a normalization before and a residual
/// connection.
Tensor encoder_block(const Tensor& x, int64_t heads, int64_t width) {
  const Tensor normalized = LayerNormalization()(x);
  const Tensor attended =
      MultiHeadAttention(heads, width / heads, kw::dropout = 0.1)({normalized, normalized});
  const Tensor y = Add()({x, attended});
  Tensor h = Dense(2 * width, kw::activation = "gelu")(LayerNormalization()(y));
  h = Dropout(0.1)(Dense(width)(h));
  return Add()({y, h});
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/40, [](int64_t epochs) {
    auto [train, test] = data::digits();
    constexpr int64_t kWidth = 48;

    const Tensor images = Input({8, 8, 1});
    // 16 patches of 2 x 2 pixels, each a vector. A dense layer on patches is such a convolution.
    Tensor x = Reshape({16, kWidth})(Conv2D(kWidth, 2, kw::strides = {2})(images));
    x = PositionEmbedding()(x);
    for (int i = 0; i < 3; ++i) x = encoder_block(x, /*heads=*/4, kWidth);
    x = GlobalAveragePooling1D()(LayerNormalization()(x));
    Model model(images, Dense(10, kw::activation = "softmax")(Dropout(0.2)(x)));
    model.summary();

    const int64_t steps = epochs * (train.x.dim(0) / 32 + 1);
    model.compile(
        optimizers::AdamW(optimizers::schedules::CosineDecay(3e-3, steps), kw::weight_decay = 1e-3),
        "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.x, train.y, kw::epochs = epochs, kw::verbose = 2);
    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    std::printf("test accuracy: %.4f\n", result.at("accuracy"));
  });
}
