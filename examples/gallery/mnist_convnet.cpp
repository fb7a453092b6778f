// Keras's "Simple MNIST convnet": Conv32, Pool, Conv64, Pool, Dropout, Dense; Adam, batches of 128.
// The data are read from $ANTLER_DATASETS/mnist or the user's cache, or downloaded.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/5, [](int64_t epochs) {
    auto [train, test] = data::mnist();
    Sequential model({Input({28, 28, 1}), Conv2D(32, {3, 3}, kw::activation = "relu"),
                      MaxPooling2D(2), Conv2D(64, {3, 3}, kw::activation = "relu"), MaxPooling2D(2),
                      Flatten(), Dropout(0.5), Dense(10, kw::activation = "softmax")});
    model.summary();
    // The learning rate decays to zero over the run.
    constexpr int64_t kBatch = 128;
    const int64_t steps = (train.x.dim(0) + kBatch - 1) / kBatch * epochs;
    model.compile(optimizers::Adam(optimizers::schedules::CosineDecay(5e-3, steps)),
                  "sparse_categorical_crossentropy", kw::metrics = {"accuracy"});
    model.fit(train.x, train.y, kw::batch_size = kBatch, kw::epochs = epochs);

    // The first misclassified digits, with the predicted classes.
    const Tensor guess = ops::argmax(model.predict(test.x, kw::verbose = 0), -1);
    const Tensor wrong = ops::nonzero(ops::not_equal(guess, test.y))[0][Slice(20)];
    gallery::save_grid("mnist_mistakes.png", ops::take(test.x, wrong, 0), 10, 2);
    for (const int32_t i : wrong.to_vector<int32_t>())
      std::printf("%d for %d  ", guess[i].item<int>(), test.y[i].item<int>());

    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    std::printf("\ntest accuracy: %.4f\n", result.at("accuracy"));
  });
}
