// A generative adversarial network (Goodfellow et al. 2014): one network draws digits, the other
// tells them from real ones. The model has a custom training step with two optimizers.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kNoise = 32;

Sequential make_generator() {
  return Sequential(
      {Input({kNoise}), Dense(256, kw::use_bias = false), BatchNormalization(kw::momentum = 0.9),
       LeakyReLU(0.2), Reshape({2, 2, 64}),
       Conv2DTranspose(48, 4, kw::strides = {2}, kw::padding = "same", kw::use_bias = false),
       BatchNormalization(kw::momentum = 0.9), LeakyReLU(0.2),
       Conv2DTranspose(24, 4, kw::strides = {2}, kw::padding = "same"), LeakyReLU(0.2),
       Conv2D(1, 3, kw::padding = "same", kw::activation = "sigmoid")});
}

Sequential make_discriminator() {
  return Sequential({Input({8, 8, 1}), Conv2D(32, 3, kw::strides = {2}, kw::padding = "same"),
                     LeakyReLU(0.2), Conv2D(64, 3, kw::strides = {2}, kw::padding = "same"),
                     LeakyReLU(0.2), Flatten(), Dense(1)});
}

class Gan : public Model {
 public:
  Tensor call(const Tensor& noise) override { return generator_(noise); }

  Logs train_step(const Batch& batch) override {
    const Tensor real = batch.x;
    const Tensor noise = random::normal({real.dim(0), kNoise}, kw::seed = seed_);
    GradientTape tape(kw::persistent = true);
    const Tensor fake = generator_(noise, kw::training = true);
    const Tensor on_real = discriminator_(real, kw::training = true);
    const Tensor on_fake = discriminator_(fake, kw::training = true);
    // Real images have the target 0.9, not 1, so that the discriminator does not get overconfident.
    const Tensor d_loss =
        bce_(0.9 * ops::ones_like(on_real), on_real) + bce_(ops::zeros_like(on_fake), on_fake);
    const Tensor g_loss = bce_(ops::ones_like(on_fake), on_fake);
    const Variables d = discriminator_.trainable_variables();
    const Variables g = generator_.trainable_variables();
    optimizer().apply(tape.gradient(d_loss, d), d);
    generator_optimizer_.apply(tape.gradient(g_loss, g), g);
    return {{"d_loss", d_loss}, {"g_loss", g_loss}};
  }

 private:
  Sequential generator_ = track("generator", make_generator());
  Sequential discriminator_ = track("discriminator", make_discriminator());
  optimizers::Adam generator_optimizer_{5e-4, {.beta_1 = 0.5}};
  Loss bce_ = losses::BinaryCrossentropy(kw::from_logits = true);
  random::SeedGenerator seed_{1};
};

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/150, [](int64_t epochs) {
    auto [train, test] = data::digits();
    Gan gan;
    gan.compile(kw::optimizer = optimizers::Adam(1e-3, kw::beta_1 = 0.5));
    gan.fit(train.x, kw::batch_size = 64, kw::epochs = epochs, kw::verbose = 2);
    const Tensor drawn = gan.predict(random::normal({500, kNoise}, kw::seed = 2), kw::verbose = 0);
    gallery::save_grid("gan.png", drawn[Slice(60)], 15, 3);

    // A classifier trained on real digits judges the drawn ones: which does it see, and how surely?
    Sequential judge({Input({8, 8, 1}), Conv2D(32, 3, kw::activation = "relu"), Flatten(),
                      Dropout(0.3), Dense(10, kw::activation = "softmax")});
    judge.compile("adam", "sparse_categorical_crossentropy");
    judge.fit(train.x, train.y, kw::epochs = 15, kw::verbose = 0);
    const Tensor p = judge.predict(drawn, kw::verbose = 0);
    const Tensor real = judge.predict(test.x, kw::verbose = 0);
    std::cout << "drawn of each digit: " << ops::bincount(ops::argmax(p, -1), kw::minlength = 10)
              << "\n";
    std::printf("a classifier's confidence: %.3f (on real digits: %.3f)\n",
                ops::mean(ops::max(p, 1)).item(), ops::mean(ops::max(real, 1)).item());
  });
}
