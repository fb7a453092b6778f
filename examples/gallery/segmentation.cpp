// Semantic segmentation with a small U-Net (Ronneberger et al. 2015): which pixel is background,
// disc, square or cross? The pictures are generated, with noise and overlapping shapes.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kSize = 48;
constexpr int64_t kClasses = 4;

/// x: [n, kSize, kSize, 3] in [0, 1]; y: the class of each pixel.
data::Split make_shapes(int64_t n, unsigned seed) {
  gallery::Random random(seed);
  data::Split shapes{Tensor::empty(DType::float32, {n, kSize, kSize, 3}),
                     Tensor::zeros(DType::int32, {n, kSize, kSize})};
  float* x = shapes.x.mutable_data<float>();
  int32_t* y = shapes.y.mutable_data<int32_t>();
  for (int64_t i = 0; i < shapes.x.size(); ++i) x[i] = 0.5F + 0.15F * random.normal();
  for (int64_t image = 0; image < n; ++image) {
    for (int64_t shape = 0; shape < 4; ++shape) {
      const auto kind = static_cast<int32_t>(1 + random.below(3));
      const float radius = random.uniform(5, 10);
      const float row = random.uniform(0, kSize);
      const float column = random.uniform(0, kSize);
      const float color[3] = {random.uniform(), random.uniform(), random.uniform()};
      for (int64_t p = 0; p < kSize * kSize; ++p) {
        const int64_t y0 = p / kSize;
        const int64_t x0 = p % kSize;
        const float dr = std::abs(static_cast<float>(y0) - row);
        const float dc = std::abs(static_cast<float>(x0) - column);
        const float far = std::max(dr, dc);
        const bool inside = kind == 1   ? dr * dr + dc * dc < radius * radius
                            : kind == 2 ? far < 0.85F * radius
                                        : far < radius && std::min(dr, dc) < 0.3F * radius;
        if (!inside) continue;
        const int64_t pixel = image * kSize * kSize + p;
        y[pixel] = kind;
        for (int c = 0; c < 3; ++c) x[3 * pixel + c] = color[c] + 0.1F * random.normal();
      }
    }
  }
  return shapes;
}

Tensor two_convolutions(Tensor x, int64_t filters) {
  for (int i = 0; i < 2; ++i) {
    x = Conv2D(filters, 3, kw::padding = "same", kw::use_bias = false)(x);
    x = Activation("relu")(BatchNormalization(kw::momentum = 0.9)(x));
  }
  return x;
}

/// A color for each class, [..., 3].
Tensor colors(const Tensor& classes) {
  static const Tensor kPalette =
      Tensor::of<float>({{0, 0, 0}, {0.9F, 0.3F, 0.2F}, {0.2F, 0.7F, 0.3F}, {0.3F, 0.5F, 1}});
  return ops::take(kPalette, classes, 0);
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/15, [](int64_t epochs) {
    const data::Split train = make_shapes(800, 1);
    const data::Split test = make_shapes(200, 2);

    const Tensor images = Input({kSize, kSize, 3});
    const Tensor fine = two_convolutions(images, 16);
    const Tensor middle = two_convolutions(MaxPooling2D(2)(fine), 24);
    Tensor x = two_convolutions(MaxPooling2D(2)(middle), 32);
    x = two_convolutions(Concatenate()({UpSampling2D(2)(x), middle}), 24);
    x = two_convolutions(Concatenate()({UpSampling2D(2)(x), fine}), 16);
    Model model(images, Conv2D(kClasses, 1, kw::activation = "softmax")(x));
    model.compile(optimizers::Adam(5e-3), "sparse_categorical_crossentropy",
                  kw::metrics = {metrics::MeanIoU(kClasses, kw::sparse_y_pred = false)});
    model.fit(train.x, train.y, kw::batch_size = 20, kw::epochs = epochs, kw::verbose = 2);

    const Tensor guess = ops::argmax(model.predict(test.x[Slice(4)], kw::verbose = 0), -1);
    gallery::save_grid(
        "segmentation.png",
        ops::concatenate({test.x[Slice(4)], colors(test.y[Slice(4)]), colors(guess)}), 4, 2);
    const HostLogs result = model.evaluate(test.x, test.y, kw::verbose = 0);
    for (const auto& [name, value] : result) std::printf("%s: %.4f\n", name.c_str(), value);
  });
}
