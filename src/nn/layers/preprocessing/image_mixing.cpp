#include "antler/nn/layers/image_mixing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "antler/nn/registry.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/nn.h"
#include "antler/ops/random.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/layers/preprocessing/list.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, RandomErasingOptions& o) {
  v("data_format", o.data_format);
  v("factor", o.factor);
  v("scale", o.scale);
  v("fill_value", o.fill_value);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, RandomGaussianBlurOptions& o) {
  v("data_format", o.data_format);
  v("factor", o.factor);
  v("kernel_size", o.kernel_size);
  v("sigma", o.sigma);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, CutMixOptions& o) {
  v("data_format", o.data_format);
  v("factor", o.factor);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, MixUpOptions& o) {
  v("data_format", o.data_format);
  v("alpha", o.alpha);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, RandAugmentOptions& o) {
  v("data_format", o.data_format);
  list_field(v, "value_range", o.value_range);
  v("num_ops", o.num_ops);
  v("factor", o.factor);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, AugMixOptions& o) {
  v("data_format", o.data_format);
  list_field(v, "value_range", o.value_range);
  v("num_chains", o.num_chains);
  v("chain_depth", o.chain_depth);
  v("factor", o.factor);
  v("alpha", o.alpha);
  v("all_ops", o.all_ops);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, MaxNumBoundingBoxesOptions& o) {
  v("data_format", o.data_format);
  v("max_number", o.max_number);
  v("fill_value", o.fill_value);
}

template <class V>
void fields(V& v, RandomElasticTransformOptions& o) {
  v("data_format", o.data_format);
  v("factor", o.factor);
  v("scale", o.scale);
  v("interpolation", o.interpolation);
  v("fill_mode", o.fill_mode);
  v("fill_value", o.fill_value);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

namespace {

constexpr FactorBounds kShare{0, 1};

template <class O>
O with_format(O o) {
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

/// True inside of the box, [batch, height, width, 1]; ends are [batch].
Tensor box_mask(const Tensor& images, const Tensor& x0, const Tensor& x1, const Tensor& y0,
                const Tensor& y1) {
  const Shape grid{images.dim(0), images.dim(1), images.dim(2), 1};
  const Tensor x = ops::iota(grid, 2, DType::float32);
  const Tensor y = ops::iota(grid, 1, DType::float32);
  const auto end = [](const Tensor& t) { return ops::reshape(t, Shape{-1, 1, 1, 1}); };
  const auto between = [&](const Tensor& c, const Tensor& low, const Tensor& high) {
    return ops::logical_and(ops::greater_equal(c, end(low)), ops::less(c, end(high)));
  };
  return ops::logical_and(between(x, x0, x1), between(y, y0, y1));
}

/// Logarithm of gamma variates (Marsaglia and Tsang 2000): the first accepted of several tries;
/// each is accepted with a probability above 0.95. The logarithm, since variates of a small alpha
/// are below what float32 holds.
Tensor log_gamma_variate(const std::function<Tensor()>& next_seed, int64_t count,
                         const Tensor& alpha) {
  constexpr int64_t kTries = 16;
  const Shape shape{count, kTries};
  const Tensor raised = alpha + 1.0;  // gamma(a) = gamma(a + 1) u^(1 / a)
  const Tensor d = raised - 1.0 / 3.0;
  const Tensor x = ops::random_normal(next_seed(), shape);
  const Tensor base = 1.0 + x / ops::sqrt(9.0 * d);
  const Tensor v = ops::maximum(base * base * base, 1e-30);
  const Tensor u = ops::random_uniform(next_seed(), shape, 1e-30, 1);
  const Tensor accepted = ops::logical_and(
      ops::greater(base, 0.0), ops::less(ops::log(u), 0.5 * x * x + d - d * v + d * ops::log(v)));
  const Tensor first = ops::argmax(ops::cast(accepted, DType::int32), 1, true);
  const Tensor chosen = ops::squeeze(ops::take_along_axis(ops::log(d) + ops::log(v), first, 1), 1);
  const Tensor boost = ops::log(ops::random_uniform(next_seed(), {count}, 1e-30, 1)) / alpha;
  return chosen + boost;
}

/// Beta(alpha, alpha) variates, [count].
Tensor beta_variate(const std::function<Tensor()>& next_seed, int64_t count, const Tensor& alpha) {
  const Tensor a = log_gamma_variate(next_seed, count, alpha);
  const Tensor b = log_gamma_variate(next_seed, count, alpha);
  return ops::sigmoid(a - b);
}

/// Normalised Gaussian of `size` values; `sigma` a scalar.
Tensor gaussian(int64_t size, const Tensor& sigma) {
  const Tensor x = ops::arange(0, size, 1, DType::float32) - static_cast<double>(size - 1) / 2.0;
  const Tensor weights = ops::exp(-0.5 * ops::square(x / sigma));
  return weights / ops::sum(weights);
}

/// Each channel blurred, zeros outside of the image.
Tensor blur(const Tensor& images, int64_t rows, int64_t columns, const Tensor& row_sigma,
            const Tensor& column_sigma) {
  const int64_t batch = images.dim(0);
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const int64_t channels = images.dim(3);
  Tensor x =
      ops::reshape(ops::transpose(images, {0, 3, 1, 2}), Shape{batch * channels, height, width, 1});
  const auto kernel = [&](int64_t size, const Tensor& sigma, const Shape& shape) {
    return ops::cast(ops::reshape(gaussian(size, sigma), shape), images.dtype());
  };
  x = ops::conv(x, kernel(rows, row_sigma, {rows, 1, 1, 1}),
                {.pad_low = {(rows - 1) / 2, 0}, .pad_high = {rows / 2, 0}});
  x = ops::conv(x, kernel(columns, column_sigma, {1, columns, 1, 1}),
                {.pad_low = {0, (columns - 1) / 2}, .pad_high = {0, columns / 2}});
  return ops::transpose(ops::reshape(x, Shape{batch, channels, height, width}), {0, 2, 3, 1});
}

}  // namespace

RandomErasing::RandomErasing(const RandomErasingOptions& options)
    : LayerBase("RandomErasing", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kShare);
  options_.scale = checked_factor(options.scale, kShare);
  options_.value_range = checked_value_range(options.value_range);
  use_seed(options.seed);
}

Tensor RandomErasing::transform(const Tensor& images) {
  const Shape each{images.dim(0)};
  const auto span = [&](int64_t size) {
    const auto length = static_cast<double>(size);
    const Tensor part =
        ops::sqrt(uniform(each, options_.scale.low(), options_.scale.high())) * length;
    const Tensor start = uniform(each, 0, 1) * (length - part);
    return std::pair(start, start + part);
  };
  const auto [x0, x1] = span(images.dim(2));
  const auto [y0, y1] = span(images.dim(1));
  const Tensor probability = uniform(each, options_.factor.low(), options_.factor.high());
  const Tensor applies =
      ops::reshape(ops::less(uniform(each, 0, 1), probability), Shape{-1, 1, 1, 1});
  Tensor fill = options_.fill_value ? Tensor::full(DType::float32, {}, *options_.fill_value)
                                    : normal(images.shape()) * options_.value_range[1];
  fill = ops::clip(fill, options_.value_range[0], options_.value_range[1]);
  const Tensor erased = ops::logical_and(box_mask(images, x0, x1, y0, y1), applies);
  return ops::where(erased, ops::cast(fill, images.dtype()), images);
}

Json RandomErasing::get_config() const { return config_of(*this, options_); }

RandomGaussianBlur::RandomGaussianBlur(const RandomGaussianBlurOptions& options)
    : LayerBase("RandomGaussianBlur", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kShare);
  options_.sigma = checked_factor(options.sigma, kShare);
  options_.value_range = checked_value_range(options.value_range);
  std::vector<int64_t>& sizes = options_.kernel_size;
  if (sizes.size() == 1) sizes.push_back(sizes[0]);
  if (sizes.size() != 2 || sizes[0] % 2 != 1 || sizes[1] % 2 != 1) {
    throw ValueError("The `kernel_size` argument should be one or two odd numbers.");
  }
  use_seed(options.seed);
}

Tensor RandomGaussianBlur::transform(const Tensor& images) {
  const Shape each{images.dim(0), 1, 1, 1};
  const Tensor probability = uniform(each, options_.factor.low(), options_.factor.high());
  const Tensor applies = ops::less(uniform(each, 0, 1), probability);
  const auto width = [&] {
    return uniform({}, options_.sigma.low(), options_.sigma.high()) + 1e-6;
  };
  const Tensor across = width();
  const Tensor down = width();
  const Tensor blurred =
      blur(images, options_.kernel_size[0], options_.kernel_size[1], down, across);
  return ops::clip(ops::where(applies, blurred, images), options_.value_range[0],
                   options_.value_range[1]);
}

Json RandomGaussianBlur::get_config() const { return config_of(*this, options_); }

RandomElasticTransform::RandomElasticTransform(const RandomElasticTransformOptions& options)
    : LayerBase("RandomElasticTransform", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kShare);
  options_.scale = checked_factor(options.scale, kShare);
  options_.value_range = checked_value_range(options.value_range);
  check_fill_mode(options.fill_mode);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
}

Tensor RandomElasticTransform::transform(const Tensor& images) {
  if (options_.scale.high() == 0 || options_.factor.high() == 0) return images;
  const Shape each{images.dim(0), 1, 1, 1};
  const Shape grid{images.dim(0), images.dim(1), images.dim(2)};
  const Tensor probability = uniform(each, options_.factor.low(), options_.factor.high());
  const Tensor applies = ops::less(uniform(each, 0, 1), probability);
  const Tensor strength = uniform({}, options_.scale.low(), options_.scale.high());
  const auto longer = static_cast<double>(std::max(images.dim(1), images.dim(2)));
  const auto shorter = static_cast<double>(std::min(images.dim(1), images.dim(2)));
  const Tensor alpha = strength * (0.1 * longer);
  const Tensor sigma = ops::maximum(strength * (0.05 * shorter), 1e-6);
  // The window holds three standard deviations of the widest field.
  const int64_t window = 6 * static_cast<int64_t>(0.05 * shorter * options_.scale.high()) | 1;
  const auto field = [&] {
    const Tensor noise = ops::expand_dims(normal(grid) * sigma, -1);
    return ops::squeeze(blur(noise, window, window, sigma, sigma), -1) * alpha;
  };
  const Tensor x = ops::iota(grid, 2, DType::float32) + field();
  const Tensor y = ops::iota(grid, 1, DType::float32) + field();
  const Tensor bent = sample_at(images, x, y,
                                {.interpolation = options_.interpolation,
                                 .fill_mode = options_.fill_mode,
                                 .fill_value = options_.fill_value});
  return ops::clip(ops::where(applies, bent, images), options_.value_range[0],
                   options_.value_range[1]);
}

Json RandomElasticTransform::get_config() const { return config_of(*this, options_); }

CutMix::CutMix(const CutMixOptions& options)
    : LayerBase("CutMix", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kShare);
  use_seed(options.seed);
}

Tensor CutMix::transform(const Tensor& images) {
  const int64_t batch = images.dim(0);
  const Tensor alpha = uniform({}, options_.factor.low(), options_.factor.high()) + 1e-6;
  const Tensor kept = beta_variate([&] { return next_seed(); }, batch, alpha);
  const Tensor ratio = ops::sqrt(1.0 - kept);
  const auto span = [&](int64_t size) {
    const auto length = static_cast<double>(size);
    const Tensor part = ratio * length;
    const Tensor start = uniform({batch}, 0, 1) * (length - part);
    return std::pair(start, start + part);
  };
  const auto [x0, x1] = span(images.dim(2));
  const auto [y0, y1] = span(images.dim(1));
  const Tensor order = ops::random_shuffle(next_seed(), ops::arange(0, batch));
  return ops::where(box_mask(images, x0, x1, y0, y1), ops::take(images, order), images);
}

Json CutMix::get_config() const { return config_of(*this, options_); }

MixUp::MixUp(const MixUpOptions& options)
    : LayerBase("MixUp", base_options(options), options.data_format),
      options_(with_format(options)) {
  use_seed(options.seed);
}

Tensor MixUp::transform(const Tensor& images) {
  const int64_t batch = images.dim(0);
  const Tensor order = ops::random_shuffle(next_seed(), ops::arange(0, batch));
  const Tensor weight =
      ops::cast(ops::reshape(beta_variate([&] { return next_seed(); }, batch,
                                          Tensor::full(DType::float32, {}, options_.alpha)),
                             Shape{-1, 1, 1, 1}),
                images.dtype());
  return weight * images + (1.0 - weight) * ops::take(images, order);
}

Json MixUp::get_config() const { return config_of(*this, options_); }

namespace {

/// The changes that RandAugment and AugMix choose from; the last four are colours only.
std::vector<LayerPtr> changes_of(const FactorRange& factor, const std::vector<double>& range,
                                 const std::string& interpolation,
                                 const std::optional<int64_t>& seed, bool colours) {
  const ColorFactorOptions color{.factor = factor, .value_range = range, .seed = seed};
  ColorFactorOptions bits = color;
  bits.factor = std::max(1.0, std::floor(8 * factor.high()));
  std::vector<LayerPtr> changes = {
      RandomShear(
          {.x_factor = factor, .y_factor = factor, .interpolation = interpolation, .seed = seed})
          .share(),
      RandomTranslation(factor, factor, {.interpolation = interpolation, .seed = seed}).share(),
      RandomRotation(factor, {.interpolation = interpolation, .seed = seed}).share(),
      Solarization({.addition_factor = factor,
                    .threshold_factor = factor,
                    .value_range = range,
                    .seed = seed})
          .share(),
      RandomPosterization(bits).share(),
      AutoContrast({.value_range = range}).share(),
      Equalization({.value_range = range}).share(),
  };
  if (!colours) return changes;
  changes.push_back(RandomBrightness(color).share());
  changes.push_back(RandomColorDegeneration(color).share());
  changes.push_back(RandomContrast(color).share());
  changes.push_back(RandomSharpness(color).share());
  return changes;
}

/// One of the changes (one index more: none), chosen when the program runs.
Tensor apply_one(const std::vector<LayerPtr>& changes, const Tensor& index, const Tensor& images) {
  std::vector<std::function<std::vector<Tensor>()>> branches;
  for (const LayerPtr& change : changes) {
    branches.emplace_back([&images, change]() -> std::vector<Tensor> {
      return {(*change)(images, {.training = true})};
    });
  }
  branches.emplace_back([&images]() -> std::vector<Tensor> { return {images}; });
  return ops::switch_(index, branches)[0];
}

}  // namespace

RandAugment::RandAugment(const RandAugmentOptions& options)
    : LayerBase("RandAugment", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kShare);
  options_.value_range = checked_value_range(options.value_range);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
  changes_ =
      changes_of(options_.factor, options_.value_range, options.interpolation, options.seed, true);
  for (const LayerPtr& change : changes_) track_layer(to_snake_case(change->class_name()), change);
}

Tensor RandAugment::transform(const Tensor& images) {
  Tensor x = images;
  for (int64_t i = 0; i < options_.num_ops; ++i) {
    const Tensor index = ops::random_integers(next_seed(), {}, 0, std::ssize(changes_));
    x = apply_one(changes_, index, x);
  }
  return x;
}

Json RandAugment::get_config() const { return config_of(*this, options_); }

AugMix::AugMix(const AugMixOptions& options)
    : LayerBase("AugMix", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kShare);
  options_.value_range = checked_value_range(options.value_range);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
  changes_ = changes_of(options_.factor, options_.value_range, options.interpolation, options.seed,
                        options.all_ops);
  for (const LayerPtr& change : changes_) track_layer(to_snake_case(change->class_name()), change);
}

Tensor AugMix::transform(const Tensor& images) {
  const auto seeds = [&] { return next_seed(); };
  const Tensor alpha = Tensor::full(DType::float32, {}, options_.alpha);
  // Dirichlet: normalised gamma variates.
  const Tensor weights = ops::softmax(log_gamma_variate(seeds, options_.num_chains, alpha));
  const Tensor kept =
      ops::cast(ops::reshape(beta_variate(seeds, 1, alpha), Shape()), images.dtype());
  Tensor mixed = ops::zeros(images.shape(), images.dtype());
  for (int64_t chain = 0; chain < options_.num_chains; ++chain) {
    Tensor x = images;
    for (int64_t depth = 0; depth < options_.chain_depth; ++depth) {
      const Tensor index = ops::random_integers(next_seed(), {}, 0, std::ssize(changes_) + 1);
      x = apply_one(changes_, index, x);
    }
    const Tensor weight = ops::reshape(ops::slice_axis(weights, 0, chain, chain + 1), Shape());
    mixed = mixed + x * ops::cast(weight, images.dtype());
  }
  return ops::clip(kept * images + (1.0 - kept) * mixed, options_.value_range[0],
                   options_.value_range[1]);
}

Json AugMix::get_config() const { return config_of(*this, options_); }

MaxNumBoundingBoxes::MaxNumBoundingBoxes(int64_t max_number, MaxNumBoundingBoxesOptions options)
    : MaxNumBoundingBoxes([&] {
        options.max_number = max_number;
        return options;
      }()) {}

MaxNumBoundingBoxes::MaxNumBoundingBoxes(const MaxNumBoundingBoxesOptions& options)
    : LayerBase("MaxNumBoundingBoxes", base_options(options), options.data_format),
      options_(with_format(options)) {}

Json MaxNumBoundingBoxes::get_config() const { return config_of(*this, options_); }

Pipeline::Pipeline(std::vector<LayerPtr> layers, const PipelineOptions& options)
    : LayerBase("Pipeline", base_options(options)), layers_(std::move(layers)) {
  for (const LayerPtr& layer : layers_) track_layer(layer->name(), layer);
}

Tensor Pipeline::call(const Tensor& input, const CallOptions& options) {
  Tensor x = input;
  for (const LayerPtr& layer : layers_) x = (*layer)(x, {.training = options.training});
  return x;
}

Json Pipeline::get_config() const {
  Json json = Json::object();
  json["layers"] = Json::array();
  for (const LayerPtr& layer : layers_) {
    json["layers"].push_back(
        keras_object("keras.layers", layer->class_name(), layer->get_config()));
  }
  json["name"] = name();
  return json;
}

namespace {

template <class L, class Options>
LayerPtr mixing_from_config(const Json& config, const char* class_name) {
  return L(options_from<Options>(config, class_name)).share();
}

}  // namespace

LayerPtr random_erasing_from_config(const Json& c) {
  return mixing_from_config<RandomErasing, RandomErasingOptions>(c, "RandomErasing");
}
LayerPtr random_gaussian_blur_from_config(const Json& c) {
  return mixing_from_config<RandomGaussianBlur, RandomGaussianBlurOptions>(c, "RandomGaussianBlur");
}
LayerPtr random_elastic_transform_from_config(const Json& c) {
  return mixing_from_config<RandomElasticTransform, RandomElasticTransformOptions>(
      c, "RandomElasticTransform");
}
LayerPtr cut_mix_from_config(const Json& c) {
  return mixing_from_config<CutMix, CutMixOptions>(c, "CutMix");
}
LayerPtr mix_up_from_config(const Json& c) {
  return mixing_from_config<MixUp, MixUpOptions>(c, "MixUp");
}
LayerPtr rand_augment_from_config(const Json& c) {
  return mixing_from_config<RandAugment, RandAugmentOptions>(c, "RandAugment");
}
LayerPtr aug_mix_from_config(const Json& c) {
  return mixing_from_config<AugMix, AugMixOptions>(c, "AugMix");
}
LayerPtr max_num_bounding_boxes_from_config(const Json& c) {
  return mixing_from_config<MaxNumBoundingBoxes, MaxNumBoundingBoxesOptions>(c,
                                                                             "MaxNumBoundingBoxes");
}
LayerPtr pipeline_from_config(const Json& config) {
  if (!config.contains("layers") || !config["layers"].is_array()) {
    throw ValueError(
        "`Pipeline` config must contain a `layers` key mapping to a list of serialized layers.");
  }
  std::vector<LayerPtr> layers;
  for (const Json& layer : config["layers"]) {
    layers.push_back(layer_from_config(layer["class_name"].get<std::string>(), layer["config"]));
  }
  PipelineOptions options;
  if (config.contains("name") && config["name"].is_string()) {
    options.name = config["name"].get<std::string>();
  }
  return Pipeline(std::move(layers), options).share();
}

}  // namespace antler
