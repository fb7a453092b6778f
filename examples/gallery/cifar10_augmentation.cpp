// CIFAR-10 from an archive of JPEG files, with augmentation: random layers at the start of the
// model flip, shift and recolor the images during training, and do nothing at inference.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// Two convolutions with batch normalization, then a pool: [h, w, c] -> [h / 2, w / 2, filters].
Tensor block(Tensor x, int64_t filters) {
  for (int i = 0; i < 2; ++i) {
    x = Conv2D(filters, 3, kw::padding = "same", kw::use_bias = false)(x);
    x = Activation("relu")(BatchNormalization(kw::momentum = 0.9)(x));
  }
  return MaxPooling2D(2)(x);
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/60, [](int64_t epochs) {
    const std::string archive = gallery::dataset(
        "cifar10/cifar10_jpeg.tar.gz",
        "Pack the images as train/CLASS/*.jpg and test/CLASS/*.jpg into such an archive.");
    const data::ImageDatasetOptions options{.batch_size = 100, .image_size = {32, 32}, .seed = 1};
    const auto train = data::image_dataset_from_directory(archive + "/train", options);
    const auto test = data::image_dataset_from_directory(archive + "/test", options);

    const Tensor images = Input({32, 32, 3});
    Tensor x = RandomFlip("horizontal")(images);
    x = RandomTranslation(0.1, 0.1, kw::fill_mode = "constant")(x);
    x = RandomBrightness(0.1)(RandomContrast(0.2)(x));
    x = Rescaling(1.0 / 127.5, kw::offset = -1.0)(x);
    for (const int64_t filters : {24, 48, 96}) x = block(x, filters);
    x = Dropout(0.2)(GlobalAveragePooling2D()(x));
    Model model(images, Dense(10, kw::activation = "softmax")(x));

    // An epoch is 50 batches, a tenth of the data.
    const int64_t steps = 50;
    model.compile(optimizers::Adam(optimizers::schedules::CosineDecay(
                      1e-3, steps * epochs, kw::warmup_target = 1e-2, kw::warmup_steps = steps)),
                  "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.repeat(), kw::epochs = epochs, kw::steps_per_epoch = steps, kw::verbose = 2);

    const HostLogs result = model.evaluate(test, kw::verbose = 0);
    std::printf("test accuracy: %.4f\n", result.at("accuracy"));
  });
}
