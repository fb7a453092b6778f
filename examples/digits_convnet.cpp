// Trains a small convolutional network on the 1,797 handwritten digits that ship with Antler, saves
// its weights, and shows predictions. `./dev demo` runs this program.

#include <cstdio>
#include <string>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// Prints digits side by side as character art, with the model's predictions.
void show(const Tensor& images, const Tensor& probabilities, const Tensor& labels, int64_t count) {
  static const char* const kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  const float* x = images.data<float>();
  for (int64_t row = 0; row < 8; ++row) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t column = 0; column < 8; ++column) {
        std::fputs(kShades[static_cast<int>(x[(i * 8 + row) * 8 + column] * 4.0F + 0.5F)], stdout);
      }
      std::fputs("  ", stdout);
    }
    std::fputs("\n", stdout);
  }
  for (int64_t i = 0; i < count; ++i) {
    const float* p = probabilities.data<float>() + i * 10;
    int best = 0;
    for (int k = 1; k < 10; ++k) best = p[k] > p[best] ? k : best;
    char text[32];
    std::snprintf(text, sizeof text, "%d (%.0f%%)%s", best, 100 * static_cast<double>(p[best]),
                  best == labels.data<int32_t>()[i] ? "" : " wrong");
    std::printf("%-18s", text);
  }
  std::fputs("\n\n", stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::string weights = "digits_convnet.npz";
  ExampleOptions options{.about = "Trains a convolutional network on the UCI handwritten digits.",
                         .epochs = 20,
                         .extras = {{"--weights", &weights, "File for the trained weights"}}};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();
    Sequential model({Input({8, 8, 1}),
                      Conv2D(32, {3, 3}, kw::padding = "same", kw::activation = "relu"),
                      BatchNormalization(kw::momentum = 0.9),
                      Conv2D(64, {3, 3}, kw::padding = "same", kw::activation = "relu"),
                      MaxPooling2D(kw::pool_size = {2, 2}), BatchNormalization(kw::momentum = 0.9),
                      Conv2D(64, {3, 3}, kw::padding = "same", kw::activation = "relu"),
                      MaxPooling2D(kw::pool_size = {2, 2}), Flatten(), Dropout(0.4),
                      Dense(10, kw::activation = "softmax")});
    model.summary();
    model.compile(kw::optimizer = optimizers::Adam(1e-3),
                  kw::loss = "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.x, train.y, kw::batch_size = 32, kw::epochs = options.epochs,
              kw::validation_data = {test.x, test.y});
    model.save_weights(weights);
    std::printf("\nweights saved to %s\n\n", weights.c_str());

    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    const Tensor first = test.x[Slice(6)];
    show(first, model.predict(first, kw::verbose = 0), test.y, 6);
    std::printf("test accuracy: %.4f\n", result.at("accuracy"));
  });
}
