// A functional model with two inputs and two outputs: data, losses and metrics by name.

#include <cstdio>

#include "example_options.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  ExampleOptions options{
      .about = "A model with two inputs and two outputs on the UCI handwritten digits.",
      .epochs = 15};
  return run_example(argc, argv, options, [&] {
    auto [train, test] = data::digits();
    // The inputs are the upper and the lower half of each image. The model predicts the digit and
    // the amount of ink.
    const auto halves = [](const Tensor& images) {
      const auto parts = ops::split(images, 2, 1);
      return Nest::dict({{"upper", parts[0]}, {"lower", parts[1]}});
    };
    const auto targets = [](const data::Split& split) {
      return Nest::dict({{"digit", split.y}, {"ink", ops::mean(split.x, {1, 2})}});
    };

    const Tensor upper = Input({4, 8, 1}, kw::name = "upper");
    const Tensor lower = Input({4, 8, 1}, kw::name = "lower");
    const Tensor joined = Concatenate()({Dense(32, kw::activation = "relu")(Flatten()(upper)),
                                         Dense(32, kw::activation = "relu")(Flatten()(lower))});
    const Tensor digit = Dense(10, kw::activation = "softmax", kw::name = "digit")(joined);
    const Tensor ink = Dense(1, kw::name = "ink")(joined);
    Model model(Nest::dict({{"upper", upper}, {"lower", lower}}),
                Nest::dict({{"digit", digit}, {"ink", ink}}));
    model.compile(kw::optimizer = "adam",
                  kw::loss = {{"digit", "sparse_categorical_crossentropy"}, {"ink", "mse"}},
                  kw::loss_weights = {{"digit", 1.0}, {"ink", 0.5}},
                  kw::metrics = {{"digit", "accuracy"}, {"ink", "mae"}});
    model.fit(halves(train.x), targets(train), kw::epochs = options.epochs, kw::verbose = 2);
    for (const auto& [name, value] :
         model.evaluate(halves(test.x), targets(test), kw::verbose = 0)) {
      std::printf("%s: %.4f\n", name.c_str(), value);
    }
  });
}
