#include "antler/data/utils/image_generator.h"

#include <algorithm>
#include <cmath>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "data/random_words.h"
#include "data/utils/draws.h"
#include "data/utils/image_iterator.h"
#include "data/utils/whitening.h"

namespace antler::utils {

struct ImageDataGenerator::State {
  ImageDataGeneratorOptions options;
  std::pair<double, double> zoom;
  std::vector<double> mean;
  std::vector<double> std;
  std::vector<float> whitening;  ///< [values, values]

  bool first() const { return options.data_format == "channels_first"; }
  int row_axis() const { return first() ? 1 : 0; }
  int col_axis() const { return first() ? 2 : 1; }
  int channel_axis() const { return first() ? 0 : 2; }
  /// Calls f(value, channel) for all values of images, whose last three axes are in the data
  /// format.
  template <class F>
  void each(std::vector<float>& values, const Shape& image, const F& f) const {
    const int64_t channels = image[channel_axis()];
    const int64_t inner = first() ? image[1] * image[2] : 1;
    for (size_t i = 0; i < values.size(); ++i) {
      f(values[i], static_cast<size_t>(static_cast<int64_t>(i) / inner % channels));
    }
  }
};

namespace {

/// Sets `flag` to `value` if `because` is true, and warns if that changes it.
void imply(bool because, bool& flag, bool value, const char* reason, const char* what) {
  if (!because || flag == value) return;
  flag = value;
  logging::warning(format("ImageDataGenerator: `{}` overrides `{}`.", reason, what));
}

ImageDataGeneratorOptions checked(ImageDataGeneratorOptions o) {
  if (o.data_format != "channels_last" && o.data_format != "channels_first") {
    throw ValueError(
        "`data_format` should be `\"channels_last\"` (channel after row and column) or "
        "`\"channels_first\"` (channel before row and column). Received: {}",
        o.data_format);
  }
  if (o.validation_split != 0 && !(o.validation_split > 0 && o.validation_split < 1)) {
    throw ValueError("`validation_split` must be strictly between 0 and 1. Received: {}",
                     o.validation_split);
  }
  imply(o.zca_whitening, o.featurewise_center, true, "zca_whitening", "featurewise_center");
  imply(o.zca_whitening, o.featurewise_std_normalization, false, "zca_whitening",
        "featurewise_std_normalization");
  imply(o.featurewise_std_normalization, o.featurewise_center, true,
        "featurewise_std_normalization", "featurewise_center");
  imply(o.samplewise_std_normalization, o.samplewise_center, true, "samplewise_std_normalization",
        "samplewise_center");
  return o;
}

double drawn_shift(data::RandomWords& words, const ShiftRange& range, int64_t size) {
  const auto either_way = [&](double by) { return words.below(2) == 0 ? by : -by; };
  double largest = 0;
  double shift = 0;
  if (const auto* part = std::get_if<double>(&range)) {
    if (*part == 0) return 0;
    largest = *part;
    shift = uniform(words, -*part, *part);
  } else if (const auto* pixels = std::get_if<int64_t>(&range)) {
    if (*pixels <= 0) return 0;
    largest = static_cast<double>(*pixels);
    shift = either_way(static_cast<double>(words.below(static_cast<uint64_t>(*pixels))));
  } else {
    const auto& choices = std::get<std::vector<double>>(range);
    if (choices.empty()) return 0;
    largest = *std::max_element(choices.begin(), choices.end());
    shift = either_way(choices[words.below(choices.size())]);
  }
  return largest < 1 ? shift * static_cast<double>(size) : shift;
}

void mirror(std::vector<float>& values, const Shape& shape, int axis) {
  int64_t inner = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const int64_t size = shape[axis];
  const int64_t outer = static_cast<int64_t>(values.size()) / (inner * size);
  for (int64_t o = 0; o < outer; ++o) {
    float* block = values.data() + o * size * inner;
    for (int64_t i = 0; i < size / 2; ++i) {
      std::swap_ranges(block + i * inner, block + (i + 1) * inner, block + (size - 1 - i) * inner);
    }
  }
}

double mean_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double std_of(const std::vector<float>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const float v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void warn_unfitted(const char* what) {
  logging::warning(format(
      "This ImageDataGenerator specifies `{}`, but it hasn't been fit on any training data. Fit it "
      "first by calling `.fit(data)`.",
      what));
}

constexpr double kSmall = 1e-6;

}  // namespace

ImageDataGenerator::ImageDataGenerator(ImageDataGeneratorOptions options)
    : state_(std::make_shared<State>()) {
  state_->options = checked(std::move(options));
  if (const auto* zoom = std::get_if<double>(&state_->options.zoom_range)) {
    state_->zoom = {1 - *zoom, 1 + *zoom};
  } else {
    state_->zoom = std::get<1>(state_->options.zoom_range);
  }
}

const std::vector<double>& ImageDataGenerator::mean() const { return state_->mean; }
const std::vector<double>& ImageDataGenerator::std() const { return state_->std; }
const ImageDataGeneratorOptions& ImageDataGenerator::options() const { return state_->options; }

ImageTransform ImageDataGenerator::get_random_transform(const Shape& image, uint64_t seed) const {
  if (image.rank() != 3) throw ValueError("Images must have rank 3. Received: shape={}", image);
  const ImageDataGeneratorOptions& o = state_->options;
  data::RandomWords words(seed, 0);
  ImageTransform t;
  if (o.rotation_range != 0) t.theta = uniform(words, -o.rotation_range, o.rotation_range);
  // As documented; Keras 2's code swaps height and width.
  t.ty = drawn_shift(words, o.height_shift_range, image[state_->row_axis()]);
  t.tx = drawn_shift(words, o.width_shift_range, image[state_->col_axis()]);
  if (o.shear_range != 0) t.shear = uniform(words, -o.shear_range, o.shear_range);
  const auto [low, high] = state_->zoom;
  if (low != 1 || high != 1) {
    t.zx = uniform(words, low, high);
    t.zy = uniform(words, low, high);
  }
  t.flip_horizontal = words.below(2) == 0 && o.horizontal_flip;
  t.flip_vertical = words.below(2) == 0 && o.vertical_flip;
  if (o.channel_shift_range != 0) {
    t.channel_shift_intensity = uniform(words, -o.channel_shift_range, o.channel_shift_range);
  }
  if (o.brightness_range) {
    t.brightness = uniform(words, o.brightness_range->first, o.brightness_range->second);
  }
  return t;
}

Tensor ImageDataGenerator::apply_transform(const Tensor& image, const ImageTransform& t) const {
  const ImageDataGeneratorOptions& o = state_->options;
  Tensor x = apply_affine_transform(image, {.theta = t.theta,
                                            .tx = t.tx,
                                            .ty = t.ty,
                                            .shear = t.shear,
                                            .zx = t.zx,
                                            .zy = t.zy,
                                            .row_axis = state_->row_axis(),
                                            .col_axis = state_->col_axis(),
                                            .channel_axis = state_->channel_axis(),
                                            .fill_mode = o.fill_mode,
                                            .cval = o.cval,
                                            .order = o.interpolation_order});
  if (t.channel_shift_intensity) x = apply_channel_shift(x, *t.channel_shift_intensity);
  if (t.flip_horizontal || t.flip_vertical) {
    std::vector<float> values = floats_of(x);
    if (t.flip_horizontal) mirror(values, x.shape(), state_->col_axis());
    if (t.flip_vertical) mirror(values, x.shape(), state_->row_axis());
    x = Tensor::of(values, x.shape());
  }
  if (t.brightness) x = apply_brightness_shift(x, *t.brightness, {.scale = false});
  return x;
}

Tensor ImageDataGenerator::random_transform(const Tensor& image, uint64_t seed) const {
  return apply_transform(image, get_random_transform(image.shape(), seed));
}

Tensor ImageDataGenerator::standardize(const Tensor& image) const {
  const ImageDataGeneratorOptions& o = state_->options;
  const Tensor given = o.preprocessing_function ? o.preprocessing_function(image) : image;
  std::vector<float> x = floats_of(given);
  const auto each = [&](auto&& f) {
    for (float& v : x) v = static_cast<float>(f(v));
  };
  if (o.rescale) each([&](float v) { return v * static_cast<float>(*o.rescale); });
  if (o.samplewise_center) each([mean = mean_of(x)](float v) { return v - mean; });
  if (o.samplewise_std_normalization) {
    each([by = std_of(x) + kSmall](float v) { return v / by; });
  }
  if (o.featurewise_center) {
    if (state_->mean.empty()) {
      warn_unfitted("featurewise_center");
    } else {
      state_->each(x, given.shape(), [&](float& v, size_t channel) {
        v = static_cast<float>(v - state_->mean[channel]);
      });
    }
  }
  if (o.featurewise_std_normalization) {
    if (state_->std.empty()) {
      warn_unfitted("featurewise_std_normalization");
    } else {
      state_->each(x, given.shape(), [&](float& v, size_t channel) {
        v = static_cast<float>(v / (state_->std[channel] + kSmall));
      });
    }
  }
  if (o.zca_whitening) {
    if (state_->whitening.empty()) {
      warn_unfitted("zca_whitening");
    } else {
      x = whitened(x, state_->whitening);
    }
  }
  return Tensor::of(x, given.shape());
}

void ImageDataGenerator::fit(const Tensor& x, const FitImagesOptions& options) {
  if (x.rank() != 4) {
    throw ValueError("Input to `.fit()` should have rank 4. Got array with shape: {}", x.shape());
  }
  const ImageDataGeneratorOptions& o = state_->options;
  const Shape image(std::vector<int64_t>(x.shape().begin() + 1, x.shape().end()));
  std::vector<float> values = floats_of(x);
  if (o.rescale) {
    for (float& v : values) v *= static_cast<float>(*o.rescale);
  }
  int64_t count = x.dim(0);
  if (options.augment) {
    const auto size = static_cast<size_t>(image.num_elements());
    std::vector<float> changed;
    changed.reserve(values.size() * static_cast<size_t>(options.rounds));
    for (int64_t i = 0; i < options.rounds * count; ++i) {
      const auto* begin = values.data() + static_cast<size_t>(i % count) * size;
      const Tensor one = Tensor::of(std::vector<float>(begin, begin + size), image);
      const uint64_t draw = draw_seed(options.seed.value_or(0), 0, i);
      const std::vector<float> out = random_transform(one, draw).to_vector<float>();
      changed.insert(changed.end(), out.begin(), out.end());
    }
    values = std::move(changed);
    count *= options.rounds;
  }
  const auto channels = static_cast<size_t>(image[state_->channel_axis()]);
  const auto means = [&](const auto& f) {
    std::vector<double> sums(channels, 0.0);
    state_->each(values, image, [&](float& v, size_t channel) { sums[channel] += f(v, channel); });
    for (double& s : sums) {
      s *= static_cast<double>(channels) / static_cast<double>(values.size());
    }
    return sums;
  };
  if (o.featurewise_center) {
    state_->mean = means([](float v, size_t) { return static_cast<double>(v); });
    state_->each(values, image, [&](float& v, size_t channel) {
      v = static_cast<float>(v - state_->mean[channel]);
    });
  }
  if (o.featurewise_std_normalization) {
    const std::vector<double> center =
        means([](float v, size_t) { return static_cast<double>(v); });
    state_->std = means(
        [&](float v, size_t channel) { return (v - center[channel]) * (v - center[channel]); });
    for (double& s : state_->std) s = std::sqrt(s);
    state_->each(values, image, [&](float& v, size_t channel) {
      v = static_cast<float>(v / (state_->std[channel] + kSmall));
    });
  }
  if (o.zca_whitening) state_->whitening = whitening_matrix(values, count, o.zca_epsilon);
}

}  // namespace antler::utils
