#include "models/application_model.h"

#include "antler/antler.h"

namespace antler::cli {
namespace {

std::optional<std::string> weights_of(const ApplicationSettings& settings) {
  if (settings.weights == "none") return std::nullopt;
  return settings.weights;
}

/// Whether the images are in [0, 1] instead of [0, 255].
bool is_unit_range(const LoadedData& data) {
  const Tensor& x = data.samples.x;
  if (data.plan.image || !x.defined() || !is_floating(x.dtype())) return false;
  return ops::max(x).item() <= 1;
}

}  // namespace

Model whole_application(const ApplicationSettings& settings) {
  applications::ApplicationOptions options;
  options.weights = weights_of(settings);
  options.classes = settings.classes;
  if (!settings.input_shape.empty()) options.input_shape = Shape(settings.input_shape);
  return applications::by_name(settings.name, options);
}

Tensor application_features(const ApplicationSettings& settings, const Tensor& inputs,
                            const LoadedData& data) {
  if (inputs.rank() != 4) {
    throw ValueError("--application {} is for images. Received samples of shape {}.", settings.name,
                     inputs.shape());
  }
  Tensor x = inputs;
  if (x.shape()[3] == 1) x = layers::concatenate({x, x, x});
  if (is_unit_range(data)) x = Rescaling(255.0)(x);
  const std::string mode = applications::preprocessing_mode(settings.name);
  if (!mode.empty()) x = applications::imagenet_utils::preprocess_input(x, {.mode = mode});
  Model body = applications::by_name(settings.name,
                                     {.include_top = false,
                                      .weights = weights_of(settings),
                                      .input_shape = Shape(x.shape().begin() + 1, x.shape().end()),
                                      .pooling = "avg"});
  body.set_trainable(false);
  // Batch normalization stays in inference mode, even if the body is unfrozen later.
  x = body(x, {.training = false});
  return Dropout(0.2)(x);
}

}  // namespace antler::cli
