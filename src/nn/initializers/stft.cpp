#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/initializers.h"
#include "antler/ops/core.h"
#include "nn/initializers/classes.h"
#include "nn/initializers/random_initializer.h"
#include "ops/window_functions.h"

namespace antler {
namespace initializers {

template <class V>
void fields(V& v, STFTOptions& o) {
  v("side", o.side);
  v("window", o.window);
  v("periodic", o.periodic);
  v("scaling", o.scaling);
}

}  // namespace initializers

namespace {

using initializers::STFTOptions;

class STFTImpl final : public InitializerImpl {
 public:
  explicit STFTImpl(STFTOptions options) : options_(std::move(options)) {
    if (options_.side != "real" && options_.side != "imag") {
      throw ValueError("side should be 'real' or 'imag', not {}", options_.side);
    }
    if (options_.window) ops::window_function(*options_.window, 1, false);
    if (options_.scaling && *options_.scaling != "density" && *options_.scaling != "spectrum") {
      throw ValueError(
          "Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling={}",
          *options_.scaling);
    }
  }

  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() != 3) {
      throw ValueError(
          "STFT: the shape must be [frame_length, input_channels, fft_length]. Received: shape={}",
          shape);
    }
    const int64_t frame_length = shape[0];
    const int64_t channels = shape[1];
    const int64_t bins = shape[2];
    std::vector<double> window(static_cast<size_t>(frame_length), 1.0);
    double scale = 1;
    if (options_.window) {
      window = ops::window_function(*options_.window, frame_length, options_.periodic);
      double squares = 0;
      double sum = 0;
      for (const double w : window) {
        squares += w * w;
        sum += std::abs(w);
      }
      if (options_.scaling) scale = *options_.scaling == "density" ? std::sqrt(squares) : sum;
    }
    const Tensor kernel = Tensor::empty(DType::float32, {frame_length, channels, bins});
    auto* out = kernel.mutable_data<float>();
    const auto fft_length = static_cast<double>((bins - 1) * 2);
    for (int64_t t = 0; t < frame_length; ++t) {
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t f = 0; f < bins; ++f) {
          const double angle =
              -2 * std::numbers::pi * static_cast<double>(t) * static_cast<double>(f) / fft_length;
          const double wave = options_.side == "real" ? std::cos(angle) : std::sin(angle);
          *out++ = static_cast<float>(wave * window[static_cast<size_t>(t)] / scale);
        }
      }
    }
    return ops::cast(kernel, dtype);
  }
  std::string class_name() const override { return "STFT"; }
  Json get_config() const override { return config::write(options_); }

 private:
  STFTOptions options_;
};

}  // namespace

namespace initializers {

STFT::STFT(const STFTOptions& options) : Initializer(std::make_shared<STFTImpl>(options)) {}

InitializerFamily stft_initializers() {
  static constexpr InitializerClass kClasses[] = {
      {"STFT",
       [](const Json& c) -> Initializer { return STFT(config::read<STFTOptions>(c, "STFT")); },
       {"STFTInitializer"}},
  };
  return kClasses;
}

}  // namespace initializers

}  // namespace antler
