// Super resolution with sub-pixel convolutions (ESPCN, Shi et al. 2016): restores 8 x 8 digits from
// 4 x 4 pixels, better than by interpolation. The network computes a correction that is added to
// the bicubic image.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

Tensor bicubic(const Tensor& x) { return ops::resize(x, {8, 8}, kw::interpolation = "bicubic"); }

/// Peak signal-to-noise ratio in decibels, of images in [0, 1].
double psnr(const Tensor& x, const Tensor& y) {
  return -10 * std::log10(ops::mean(ops::square(x - y)).item());
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/60, [](int64_t epochs) {
    auto [train, test] = data::digits();
    const auto shrink = [](const Tensor& x) { return ops::average_pool(x, {2, 2}); };

    const Tensor small = Input({4, 4, 1});
    Tensor x = Conv2D(64, 3, kw::padding = "same", kw::activation = "relu")(small);
    for (int i = 0; i < 2; ++i)
      x = Add()({x, Conv2D(64, 3, kw::padding = "same", kw::activation = "relu")(x)});
    x = Conv2D(4, 3, kw::padding = "same")(x);
    // Four channels of a pixel become 2 x 2 pixels.
    x = Reshape({8, 8, 1})(Permute({1, 3, 2, 4})(Reshape({4, 4, 2, 2})(x)));
    const Tensor smooth = Resizing(8, 8, kw::interpolation = "bicubic")(small);
    Model model(small, Add()({smooth, x}));
    model.compile(optimizers::Adam(2e-3), "mse");
    model.fit(shrink(train.x), train.x, kw::batch_size = 64, kw::epochs = epochs, kw::verbose = 2);

    const Tensor input = shrink(test.x);
    const Tensor output = model.predict(input, kw::verbose = 0);
    // The rows: input, bicubic interpolation, output of the network, original.
    const Tensor pixels = ops::repeat(ops::repeat(input, 2, 1), 2, 2);
    Tensors rows;
    for (const Tensor& images : {pixels, bicubic(input), output, test.x})
      rows.push_back(images[Slice(12)]);
    gallery::save_grid("super_resolution.png", ops::concatenate(rows), 12);
    std::printf("peak signal-to-noise ratio: %.2f dB (bicubic: %.2f dB)\n", psnr(output, test.x),
                psnr(bicubic(input), test.x));
  });
}
