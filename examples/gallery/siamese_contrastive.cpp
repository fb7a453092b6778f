// A siamese network: one encoder maps two images to vectors, whose distance tells whether both show
// the same digit. The contrastive loss (Hadsell et al. 2006) is a plain function.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

struct Pairs {
  Tensor left, right, same;
};

/// Half of the pairs show the same digit.
Pairs make_pairs(const data::Split& split, int64_t count, unsigned seed) {
  const std::vector<int32_t> labels = split.y.to_vector<int32_t>();
  std::vector<std::vector<int32_t>> rows(10);
  for (size_t i = 0; i < labels.size(); ++i)
    rows[static_cast<size_t>(labels[i])].push_back(static_cast<int32_t>(i));
  gallery::Random random(seed);
  std::vector<int32_t> left, right;
  std::vector<float> same;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t a = random.below(10);
    const int64_t b = i % 2 == 0 ? a : (a + 1 + random.below(9)) % 10;
    left.push_back(random.pick(rows[static_cast<size_t>(a)]));
    right.push_back(random.pick(rows[static_cast<size_t>(b)]));
    same.push_back(a == b ? 1.0F : 0.0F);
  }
  return {ops::take(split.x, Tensor::of(left), 0), ops::take(split.x, Tensor::of(right), 0),
          Tensor::of(same, {count, 1})};
}

/// Pulls equal pairs together, and pushes others apart up to a distance of 1.
Tensor contrastive_loss(const Tensor& same, const Tensor& distance) {
  return ops::mean(
      same * ops::square(distance) + (1.0 - same) * ops::square(ops::relu(1.0 - distance)), -1);
}

Tensor closer_than_half(const Tensor& same, const Tensor& distance) {
  return ops::mean(ops::cast((distance < 0.5) == (same > 0.5), "float32"), -1);
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/20, [](int64_t epochs) {
    const auto [train_digits, test_digits] = data::digits();
    const Pairs train = make_pairs(train_digits, 8000, 1);
    const Pairs test = make_pairs(test_digits, 2000, 2);

    Sequential encoder({Input({8, 8, 1}), Conv2D(16, 3, kw::activation = "relu"),
                        Conv2D(32, 3, kw::activation = "relu"), MaxPooling2D(2), Flatten(),
                        Dropout(0.2), Dense(16)});
    const Tensor left = Input({8, 8, 1}, kw::name = "left");
    const Tensor right = Input({8, 8, 1}, kw::name = "right");
    const Tensor difference = encoder(left) - encoder(right);
    const Tensor distance =
        ops::sqrt(ops::sum(ops::square(difference), -1, kw::keepdims = true) + 1e-7);
    Model model({left, right}, distance);
    model.compile(
        kw::optimizer = optimizers::Adam(1e-3), kw::loss = contrastive_loss,
        kw::metrics = {metrics::MeanMetricWrapper(closer_than_half, kw::name = "accuracy")});
    model.fit({train.left, train.right}, train.same, kw::batch_size = 64, kw::epochs = epochs,
              kw::verbose = 2);

    const Tensor d = model.predict({test.left, test.right}, kw::verbose = 0);
    for (int64_t i = 0; i < 6; ++i)
      std::printf("%-9s distance %.2f\n", test.same[i].item() == 1 ? "same" : "different",
                  d[i].item());
    const HostLogs result = model.evaluate({test.left, test.right}, test.same, kw::verbose = 0);
    std::printf("correctly classified test pairs: %.4f\n", result.at("accuracy"));
  });
}
