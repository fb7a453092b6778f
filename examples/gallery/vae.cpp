// A variational autoencoder (Kingma and Welling 2013) of the handwritten digits with a code of two
// numbers, so that one picture can show everything it can draw.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// Samples a code from the encoder's distribution, and adds the KL divergence of this distribution
/// from the standard normal distribution to the losses of the model.
class Sampling : public LayerBase<Sampling> {
 public:
  explicit Sampling(double weight) : weight_(weight) {}
  Nest call(const Nest& inputs) override {
    const auto [mean, log_var] = inputs.unpack<2>();
    const Tensor m = mean;
    const Tensor v = log_var;
    add_loss(-0.5 * weight_ * ops::mean(ops::sum(1.0 + v - ops::square(m) - ops::exp(v), 1)));
    return m + ops::exp(0.5 * v) * random::normal(ops::shape(m), kw::seed = seed_);
  }

 private:
  double weight_;
  random::SeedGenerator seed_{1};
};

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/150, [](int64_t epochs) {
    auto [train, test] = data::digits();
    const Tensor images = Input({8, 8, 1});
    Tensor x = Dense(128, kw::activation = "relu")(Flatten()(images));
    x = Dense(64, kw::activation = "relu")(x);
    const Tensor mean = Dense(2, kw::name = "mean")(x);
    const Tensor log_var = Dense(2, kw::name = "log_var")(x);

    const Tensor code = Input({2});
    Tensor h = Dense(64, kw::activation = "relu")(code);
    h = Dense(128, kw::activation = "relu")(h);
    Model decoder(code, Reshape({8, 8, 1})(Dense(64, kw::activation = "sigmoid")(h)), "decoder");

    // The reconstruction is a mean over 64 pixels; the weight makes it count as their sum.
    const Tensor z = Sampling(1.0 / 64)(Nest{mean, log_var});
    Model vae(images, decoder(z), "vae");
    vae.compile(optimizers::Adam(2e-3), "binary_crossentropy", kw::metrics = {"mse"},
                kw::steps_per_execution = 15);
    vae.fit(train.x, train.x, kw::batch_size = 64, kw::epochs = epochs, kw::verbose = 2,
            kw::validation_data = {test.x, test.x});

    // Decodes a grid of codes: neighbours look alike.
    const Tensor axis = ops::linspace(-2.0, 2.0, 15);
    const auto grid = ops::meshgrid(axis, ops::flip(axis));
    const Tensor codes = ops::stack({ops::ravel(grid[0]), ops::ravel(grid[1])}, 1);
    gallery::save_grid("vae.png", decoder.predict(codes, kw::verbose = 0), 15, 3);
    const HostLogs result = vae.evaluate(test.x, test.x, kw::verbose = 0);
    std::printf("loss per image: %.2f nats, mean squared error: %.4f\n", 64 * result.at("loss"),
                result.at("mse"));
  });
}
