// Metric learning: images of the same digit get similar embeddings, wherever the digit is in the
// image. The network never sees 7, 8 and 9 in training, yet finds similar images among them.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

/// Each digit somewhere in an image of 14 x 14.
Tensor scatter(const Tensor& images, unsigned seed) {
  gallery::Random random(seed);
  Tensors moved;
  for (int64_t i = 0; i < images.dim(0); ++i) {
    const int64_t top = random.below(7);
    const int64_t left = random.below(7);
    moved.push_back(ops::pad(images[i], {{top, 6 - top}, {left, 6 - left}, {0, 0}}));
  }
  return ops::stack(moved);
}

data::Split only(const data::Split& split, const Tensor& which) {
  const Tensor rows = ops::nonzero(which)[0];
  return {ops::take(split.x, rows, 0), ops::take(split.y, rows, 0)};
}

/// The indices of the `k` nearest other images of each image, by cosine similarity.
Tensor neighbours(const Tensor& embeddings, int64_t k) {
  const Tensor cosines = ops::matmul(embeddings, ops::transpose(embeddings));
  return ops::top_k(cosines - 2.0 * ops::eye(embeddings.dim(0)), k).indices;
}

/// How often the nearest image shows the same digit.
double recall_at_1(const Tensor& embeddings, const Tensor& labels) {
  const Tensor nearest = ops::take(labels, neighbours(embeddings, 1)[{Slice(), 0}], 0);
  return ops::mean(ops::cast(nearest == labels, "float32")).item();
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/60, [](int64_t epochs) {
    auto [all, test] = data::digits(kw::test_fraction = 0.3);
    all.x = scatter(all.x, 1);
    test.x = scatter(test.x, 2);
    const data::Split train = only(all, all.y < 7);
    const data::Split unseen = only(test, test.y >= 7);

    Sequential model({Input({14, 14, 1}), RandomTranslation(0.15, 0.15, kw::fill_mode = "constant"),
                      Conv2D(32, 3, kw::padding = "same", kw::activation = "relu"), MaxPooling2D(2),
                      Conv2D(64, 3, kw::padding = "same", kw::activation = "relu"),
                      Conv2D(64, 3, kw::activation = "relu"), GlobalAveragePooling2D(),
                      Dropout(0.2), Dense(32), UnitNormalization()});
    // Compares all pairs of a batch.
    model.compile(optimizers::Adam(1e-3), losses::Circle(kw::gamma = 32));
    model.fit(train.x, train.y, kw::batch_size = 128, kw::epochs = epochs, kw::verbose = 2);

    const Tensor embeddings = model.predict(unseen.x, kw::verbose = 0);
    // Eight images, each followed by the seven nearest ones.
    const Tensor queries = ops::arange(8);
    const Tensor rows =
        ops::concatenate({queries[{Slice(), None}], neighbours(embeddings, 7)[Slice(8)]}, 1);
    gallery::save_grid("metric_learning.png", ops::take(unseen.x, ops::ravel(rows), 0), 8);

    const auto pixels = [](const Tensor& x) { return utils::normalize(x.reshape({x.dim(0), -1})); };
    std::printf("nearest image is the same digit, 0 to 6: %.4f (by pixels: %.4f)\n",
                recall_at_1(model.predict(only(test, test.y < 7).x, kw::verbose = 0),
                            only(test, test.y < 7).y),
                recall_at_1(pixels(only(test, test.y < 7).x), only(test, test.y < 7).y));
    std::printf("nearest image is the same digit, 7 to 9, not trained on: %.4f (by pixels: %.4f)\n",
                recall_at_1(embeddings, unseen.y), recall_at_1(pixels(unseen.x), unseen.y));
  });
}
