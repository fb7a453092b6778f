#include "input/augment.h"

#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "antler/base/error.h"
#include "antler/data/dataset.h"
#include "antler/nn/layers/image_color.h"
#include "antler/nn/layers/image_geometry.h"
#include "antler/nn/layers/image_mixing.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/training/sequential.h"
#include "base/strings.h"

namespace antler::cli {
namespace {

/// The steps with their default values.
const std::map<std::string, std::string>& usual_values() {
  static const std::map<std::string, std::string> kValues = {
      {"brightness", "0.2"}, {"contrast", "0.2"},    {"crop", "4"},
      {"erasing", "0.5"},    {"flip", "horizontal"}, {"rotation", "0.1"},
      {"shear", "0.1"},      {"translation", "0.1"}, {"zoom", "0.1"},
  };
  return kValues;
}

std::vector<std::string> step_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : usual_values()) names.push_back(name);
  return names;
}

/// The name of a step and its value, which is empty if nothing follows the "=".
std::pair<std::string, std::string> parse_step(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto usual = usual_values().find(name);
  if (usual == usual_values().end()) {
    throw ValueError("--augment has no step '{}'. Available steps: {}.", name, join(step_names()));
  }
  return {name, equals == std::string::npos ? usual->second : text.substr(equals + 1)};
}

double factor_of(const std::string& name, const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number > 0)) {
    throw ValueError("--augment {} takes a positive number, not '{}'.", name, value);
  }
  return number;
}

struct ImageFacts {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<double> range;  ///< smallest and largest possible value
};

/// Appends the layers of a step.
void add_step(Sequential& layers, const std::string& text, const ImageFacts& image) {
  const auto [name, value] = parse_step(text);
  if (name == "flip") {
    if (value != "horizontal" && value != "vertical" && value != "horizontal_and_vertical") {
      throw ValueError(
          "--augment flip takes horizontal, vertical or horizontal_and_vertical, not '{}'.", value);
    }
    layers.add(RandomFlip({.mode = value}));
    return;
  }
  const double factor = factor_of(name, value);
  if (name == "rotation") layers.add(RandomRotation(factor));
  if (name == "zoom") layers.add(RandomZoom(factor));
  if (name == "shear") layers.add(RandomShear({.x_factor = factor, .y_factor = factor}));
  if (name == "translation") {
    layers.add(RandomTranslation({.height_factor = factor, .width_factor = factor}));
  }
  if (name == "contrast") {
    layers.add(RandomContrast({.factor = factor, .value_range = image.range}));
  }
  if (name == "brightness") {
    layers.add(RandomBrightness({.factor = factor, .value_range = image.range}));
  }
  if (name == "erasing") {
    layers.add(RandomErasing({.factor = factor, .value_range = image.range}));
  }
  if (name == "crop") {
    constexpr double kMostPixels = 1 << 20;
    if (factor != std::floor(factor) || factor > kMostPixels) {
      throw ValueError("--augment crop takes a number of pixels, not '{}'.", value);
    }
    const auto border = static_cast<int64_t>(factor);
    layers.add(ZeroPadding2D(border));
    layers.add(RandomCrop({.height = image.height, .width = image.width}));
  }
}

/// The range of the images' values: [0, 1] if they are floats of at most 1, otherwise [0, 255].
std::vector<double> range_of_images(const Samples& samples) {
  if (samples.batches || !is_floating(samples.x.dtype())) return {0, 255};
  return {0, ops::max(samples.x).item() > 1 ? 255.0 : 1.0};
}

/// Batches [x, y] of the samples.
data::Dataset batches_of(const Samples& samples, const Model& model,
                         const AugmentOptions& options) {
  if (samples.batches) return *samples.batches;
  data::Dataset rows =
      data::Dataset::from_tensor_slices({samples.inputs(model).arrays(), Nest(samples.y)});
  if (options.shuffle) rows = rows.shuffle(samples.count());
  return rows.batch(options.batch_size);
}

}  // namespace

void add_augment_option(CLI::App& command, std::vector<std::string>& augment) {
  command
      .add_option("--augment", augment,
                  "Change images at random in each epoch, for example flip,rotation=0.1,zoom=0.1; "
                  "the steps are Keras's layers RandomBrightness, RandomContrast and so on: " +
                      join(step_names()))
      ->delimiter(',');
}

Samples augmented(const Samples& samples, const Model& model, const AugmentOptions& options) {
  const auto image = image_plan_of(model);
  if (!image) {
    throw ValueError(
        "--augment is for images: the model must have one input [height, width, "
        "channels] with 1, 3 or 4 channels.");
  }
  Sequential layers;
  const ImageFacts facts{image->height, image->width, range_of_images(samples)};
  for (const std::string& step : options.steps) add_step(layers, step, facts);
  Samples result;
  result.files = samples.files;
  result.labels = samples.labels;
  constexpr int64_t kAhead = 4;
  result.batches = batches_of(samples, model, options)
                       .map([layers](const Nest& batch) mutable {
                         const Tensor x = layers(batch[0].tensor(), {.training = true});
                         return Nest(std::vector<Nest>{x, batch[1]});
                       })
                       .prefetch(kAhead);
  return result;
}

}  // namespace antler::cli
