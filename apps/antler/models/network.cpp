#include "models/network.h"

#include <algorithm>

#include "antler/antler.h"
#include "command_line/command.h"
#include "models/architectures.h"

namespace antler::cli {
namespace {

/// The number of classes of integer targets; 0 for other targets. Throws ValueError for negative
/// targets, a single class, and no samples.
int64_t count_classes(const LoadedData& data) {
  const std::vector<std::string> classes = data.plan.classes();
  auto count = std::ssize(classes);
  if (classes.empty()) {
    const Tensor& y = data.samples.y;
    if (y.dtype() == DType::float32 || y.dtype() == DType::float64) return 0;
    const std::vector<double> labels = y.to_doubles();
    if (labels.empty()) throw ValueError("The data has no samples.");
    const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
    if (*least < 0) {
      throw ValueError("Integer targets are the classes 0, 1, ... Received: {}.", *least);
    }
    count = static_cast<int64_t>(*most) + 1;
  }
  if (count == 1) {
    throw ValueError("The data has only one class{}: there is nothing to classify.",
                     classes.empty() ? "" : format(", '{}'", classes[0]));
  }
  return count;
}

/// Normalizes each column to mean 0 and variance 1.
Tensor normalized(const Tensor& inputs, const Tensor& x) {
  Normalization layer({.axis = {-1}});
  layer.adapt(x);
  return layer(inputs);
}

/// Outputs for a regression with targets [n] or [n, width]. A last layer scales them to the mean
/// and variance of the targets; without it, training would take thousands of steps to get from 0 to
/// a price.
Tensor regression_outputs(const Tensor& y, const Tensor& x) {
  const int64_t width = y.rank() == 2 ? y.shape()[1] : 1;
  Normalization layer({.axis = {-1}, .invert = true});
  layer.adapt(ops::reshape(y, {-1, width}));
  return layer(Dense(width)(x));
}

/// The dimensions of a sample.
std::vector<int64_t> sample_dims(const LoadedData& data) {
  if (data.plan.image) {
    return {data.plan.image->height, data.plan.image->width, data.plan.image->channels};
  }
  const Shape& shape = data.samples.x.shape();
  return {shape.begin() + 1, shape.end()};
}

bool is_sequence_kind(const std::string& kind) { return kind == "lstm" || kind == "transformer"; }

/// Samples of rank 2 may be greyscale images or sequences of features. They count as images if they
/// are uint8 or square.
std::string default_kind(const LoadedData& data, const std::vector<int64_t>& dims) {
  if (data.plan.text || (data.plan.table && data.plan.table->window > 0)) return "lstm";
  if (data.plan.image || dims.size() > 2) return "convnet";
  if (dims.size() < 2) return "mlp";
  return data.samples.x.dtype() == DType::uint8 || dims[0] == dims[1] ? "convnet" : "lstm";
}

void check_kind(const std::string& kind, const LoadedData& data, size_t sample_rank) {
  const bool text = data.plan.text.has_value();
  const bool for_images = kind == "convnet" || kind == "resnet";
  const bool fits = is_sequence_kind(kind) ? text || sample_rank == 2
                    : for_images           ? !text && sample_rank >= 2
                                           : !text;
  if (!fits) {
    throw ValueError(
        "--kind {} does not fit this data: lstm and transformer are for text and for samples "
        "[steps, features], convnet and resnet for images, mlp for everything except text.",
        kind);
  }
}

/// The layers from the placeholder to the features.
Tensor features(const NetworkSettings& s, const std::string& kind, const Tensor& inputs,
                const LoadedData& data) {
  if (is_sequence_kind(kind)) {
    // Two more for padding and unknown tokens.
    const int64_t vocabulary = data.plan.text ? std::ssize(data.plan.text->vocabulary) + 2 : 0;
    const int64_t units = s.units.empty() ? 64 : s.units[0];
    const Tensor x = data.plan.text ? inputs : normalized(inputs, data.samples.x);
    return kind == "lstm" ? lstm(x, vocabulary, units) : transformer(x, vocabulary, units);
  }
  Tensor x = inputs;
  const bool bytes = data.plan.image || data.samples.x.dtype() == DType::uint8;
  if (bytes) {
    x = Rescaling(1.0 / 255)(x);
  } else if (x.rank() == 2) {
    x = normalized(x, data.samples.x);
  }
  if (kind == "convnet") return convnet(x);
  if (kind == "resnet") return resnet(x);
  return mlp(x, s.units.empty() ? std::vector<int64_t>{64, 64} : s.units);
}

}  // namespace

void add_network_options(CLI::App& command, NetworkSettings& settings) {
  command.add_option(
      "--application", settings.application.name,
      "A model of keras.applications, for example mobilenet_v2. With DATA: frozen and without its "
      "top, with a new classifier for the data");
  command
      .add_option(
          "--weights", settings.application.weights,
          "Weights of the application: a file, imagenet (downloaded to ~/.keras/models), or "
          "none for random weights")
      ->capture_default_str();
  command
      .add_option("--kind", settings.kind,
                  "mlp, convnet, resnet (depth 20), lstm or transformer; default: depends on the "
                  "data")
      ->check(CLI::IsMember({"auto", "mlp", "convnet", "resnet", "lstm", "transformer"}));
  command
      .add_option(
          "--units", settings.units,
          "Sizes of the hidden layers of an mlp (default 64,64), or the width of an lstm or "
          "transformer (default 64)")
      ->delimiter(',')
      ->check(positive_integer());
  command
      .add_option("--image-size", settings.image_size,
                  "Height,width to which image files are resized; default: their own size if all "
                  "are equal and small, else 128,128")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(positive_integer());
}

void apply_to(DataOptions& options, const NetworkSettings& settings) {
  if (settings.image_size.empty()) return;
  options.image = ImagePlan{settings.image_size.front(), settings.image_size.back(), 3, {}};
}

Network make_network(const NetworkSettings& settings, const LoadedData& data) {
  std::vector<int64_t> dims = sample_dims(data);
  const bool from_application = !settings.application.name.empty();
  const std::string kind = from_application          ? settings.application.name
                           : settings.kind != "auto" ? settings.kind
                                                     : default_kind(data, dims);
  if (!from_application) check_kind(kind, data, dims.size());
  if ((kind == "convnet" || kind == "resnet" || from_application) && dims.size() == 2) {
    dims.push_back(1);
  }
  const int64_t classes = count_classes(data);
  const Tensor inputs = Input(Shape(dims));
  const Tensor x = from_application ? application_features(settings.application, inputs, data)
                                    : features(settings, kind, inputs, data);
  const Tensor& y = data.samples.y;
  const Tensor outputs =
      classes > 0 ? Dense(classes, {.activation = "softmax"})(x) : regression_outputs(y, x);
  Model model(inputs, outputs);
  if (classes > 0) {
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  } else {
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  }
  return {model, kind, classes};
}

}  // namespace antler::cli
