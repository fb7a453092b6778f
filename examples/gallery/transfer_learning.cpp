// Transfer learning: a network that was trained on the digits 0 to 4 learns 5 to 9 from two
// images of each. The classifier is new; the frozen body already knows strokes and curves. With a
// model of keras.applications the body is one line: applications::MobileNetV2({...}).

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

data::Split only(const data::Split& split, const Tensor& which) {
  const Tensor rows = ops::nonzero(which)[0];
  return {ops::take(split.x, rows, 0), ops::take(split.y, rows, 0) % 5};
}

Model make_body() {
  const Tensor images = Input({8, 8, 1});
  Tensor x = Conv2D(32, 3, kw::padding = "same", kw::activation = "relu")(images);
  x = MaxPooling2D(2)(BatchNormalization(kw::momentum = 0.9)(x));
  x = Conv2D(64, 3, kw::padding = "same", kw::activation = "relu")(x);
  x = MaxPooling2D(2)(BatchNormalization(kw::momentum = 0.9)(x));
  return {images, Flatten()(x), "body"};
}

/// A body with a classifier of five classes.
Sequential with_head(const Model& body) {
  return Sequential({Input({8, 8, 1}), body, Dropout(0.3), Dense(5, kw::activation = "softmax")});
}

void train(Model model, const data::Split& data, int64_t epochs, double rate) {
  model.compile(optimizers::Adam(rate), "sparse_categorical_crossentropy",
                kw::metrics = {"accuracy"});
  model.fit(data.x, data.y, kw::epochs = epochs, kw::verbose = 0);
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/40, [](int64_t epochs) {
    const auto [all, all_test] = data::digits();
    const data::Split much = only(all, all.y < 5);
    const data::Split test = only(all_test, all_test.y >= 5);
    // Two images of each digit from 5 to 9.
    const data::Split high = only(all, all.y >= 5);
    Tensors rows;
    for (int digit = 0; digit < 5; ++digit)
      rows.push_back(ops::nonzero(high.y == digit)[0][Slice(2)]);
    const Tensor few_rows = ops::concatenate(rows);
    const data::Split few{ops::take(high.x, few_rows, 0), ops::take(high.y, few_rows, 0)};
    const auto report = [&](const char* name, Model model) {
      std::printf("%-24s test accuracy on 5 to 9: %.4f\n", name,
                  model.evaluate(test.x, test.y, kw::verbose = 0).at("accuracy"));
    };

    Sequential scratch = with_head(make_body());
    train(scratch, few, 5 * epochs, 1e-3);
    report("from scratch", scratch);

    Model body = make_body();
    train(with_head(body), much, epochs / 2 + 1, 1e-3);
    body.set_trainable(false);
    Sequential transferred = with_head(body);
    train(transferred, few, 5 * epochs, 3e-3);
    report("new classifier", transferred);

    body.set_trainable(true);  // then the whole model, with small steps
    train(transferred, few, epochs, 1e-4);
    report("and fine-tuned", transferred);
  });
}
