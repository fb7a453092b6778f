// A convolutional autoencoder: digits of 64 pixels are compressed to 8 numbers.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/60, [](int64_t epochs) {
    auto [train, test] = data::digits();
    const Tensor images = Input({8, 8, 1});
    Tensor x =
        Conv2D(16, 3, kw::strides = {2}, kw::padding = "same", kw::activation = "relu")(images);
    x = Conv2D(32, 3, kw::strides = {2}, kw::padding = "same", kw::activation = "relu")(x);
    const Tensor code = Dense(8, kw::name = "code")(Flatten()(x));
    x = Reshape({2, 2, 32})(Dense(128, kw::activation = "relu")(code));
    x = Conv2DTranspose(32, 3, kw::strides = {2}, kw::padding = "same", kw::activation = "relu")(x);
    x = Conv2DTranspose(16, 3, kw::strides = {2}, kw::padding = "same", kw::activation = "relu")(x);
    x = Conv2D(1, 3, kw::padding = "same", kw::activation = "sigmoid")(x);
    Model autoencoder(images, x, "autoencoder");
    Model encoder(images, code, "encoder");  // shares the weights
    autoencoder.summary();

    // The inputs are also the targets.
    autoencoder.compile(optimizers::Adam(3e-3), "binary_crossentropy", kw::metrics = {"mse"});
    autoencoder.fit(train.x, train.x, kw::epochs = epochs, kw::verbose = 2,
                    kw::validation_data = {test.x, test.x});

    const Tensor originals = test.x[Slice(12)];
    const Tensor restored = autoencoder.predict(originals, kw::verbose = 0);
    gallery::save_grid("autoencoder.png", ops::concatenate({originals, restored}), 12);
    std::cout << "code of the first digit: "
              << encoder.predict(originals, kw::verbose = 0)[Slice(1)] << "\n";
    const HostLogs result = autoencoder.evaluate(test.x, test.x, kw::verbose = 0);
    std::printf("mean squared error: %.4f (of the mean image: %.4f)\n", result.at("mse"),
                ops::mean(ops::square(test.x - ops::mean(train.x, 0))).item());
  });
}
