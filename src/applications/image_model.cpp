#include "applications/image_model.h"

#include <filesystem>
#include <set>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/data/utils/get_file.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/layers/pooling.h"

namespace antler::applications {
namespace {

constexpr int64_t kImagenetClasses = 1000;

std::string quoted_weights(const ApplicationOptions& options) {
  return options.weights ? "'" + *options.weights + "'" : "none";
}

bool is_below(int64_t size, int64_t least) { return size != Shape::kUnknown && size < least; }

/// Collects the inputs from which a placeholder was computed.
void find_sources(const Tensor& x, std::set<const GraphNode*>& seen, Tensors& sources) {
  const GraphNodePtr node = placeholder_source(x).node;
  if (!seen.insert(node.get()).second) return;
  if (node->is_input()) sources.push_back(x);
  for (const Tensor& input : node->input_placeholders()) find_sources(input, seen, sources);
}

std::string file_of(const WeightsFile& file) {
  return utils::get_file(
      {.fname = file.name, .origin = file.url, .file_hash = file.hash, .cache_subdir = "models"});
}

}  // namespace

ImagenetWeights imagenet_weights(const std::string& url, const std::string& with_top,
                                 const std::string& without_top, const std::string& hash_with_top,
                                 const std::string& hash_without_top) {
  return {{url + with_top, hash_with_top, {}}, {url + without_top, hash_without_top, {}}};
}

bool is_imagenet(const ApplicationOptions& options) { return options.weights == "imagenet"; }

void check_arguments(const ApplicationOptions& options) {
  if (options.weights && !is_imagenet(options) && !std::filesystem::exists(*options.weights)) {
    throw ValueError(
        "The `weights` argument should be either none (random initialization), 'imagenet' "
        "(pre-training on ImageNet), or the path to the weights file to be loaded. Received: "
        "weights={}",
        quoted_weights(options));
  }
  if (is_imagenet(options) && options.include_top && options.classes != kImagenetClasses) {
    throw ValueError(
        "If using `weights='imagenet'` with `include_top=true`, `classes` should be 1000. "
        "Received: classes={}",
        options.classes);
  }
  if (options.pooling && *options.pooling != "avg" && *options.pooling != "max") {
    throw ValueError(
        "The `pooling` argument should be none, 'avg' or 'max'. Received: pooling='{}'",
        *options.pooling);
  }
  const std::string& activation = options.classifier_activation.name();
  if (options.include_top && options.weights && activation != "softmax" && activation != "linear") {
    throw ValueError(
        "Only none and `softmax` activations are allowed for the `classifier_activation` argument "
        "when using pretrained weights, with `include_top=true`. Received: "
        "classifier_activation='{}'",
        activation);
  }
}

Shape obtain_input_shape(const ApplicationOptions& options, int64_t default_size,
                         int64_t min_size) {
  int64_t channels = 3;
  const bool given = options.input_shape && !options.input_shape->empty();
  if (given && !is_imagenet(options) && options.input_shape->rank() == 3) {
    channels = options.input_shape->back();
    if (channels != 1 && channels != 3) {
      logging::warning(
          format("This model usually expects 1 or 3 input channels. However, it was passed an "
                 "`input_shape` with {} input channels.",
                 channels));
    }
  }
  Shape default_shape{default_size, default_size, channels};
  if (!given) {
    return options.include_top ? default_shape : Shape{Shape::kUnknown, Shape::kUnknown, channels};
  }
  const Shape& shape = *options.input_shape;
  const std::string received = format("Received: input_shape={}", shape);
  if (is_imagenet(options) && options.include_top) {
    if (shape != default_shape) {
      throw ValueError(
          "When setting `include_top=true` and loading `imagenet` weights, `input_shape` should be "
          "{}. {}",
          default_shape, received);
    }
    return default_shape;
  }
  if (shape.rank() != 3) {
    throw ValueError("`input_shape` must have three integers. {}", received);
  }
  if (is_imagenet(options) && shape.back() != 3) {
    throw ValueError("The input must have 3 channels. {}", received);
  }
  if (is_below(shape[0], min_size) || is_below(shape[1], min_size)) {
    throw ValueError("Input size must be at least {}x{}. {}", min_size, min_size, received);
  }
  if (options.include_top && !shape.is_known()) {
    throw ValueError("If `include_top` is true, you should specify a static `input_shape`. {}",
                     received);
  }
  return shape;
}

Tensor image_input(const ApplicationOptions& options, const Shape& shape) {
  return options.input_tensor.defined() ? options.input_tensor : Input(shape);
}

Tensor begin_model(const ApplicationOptions& options, int64_t default_size, int64_t min_size) {
  check_arguments(options);
  return image_input(options, obtain_input_shape(options, default_size, min_size));
}

EndNames named_average() { return {.average = "avg_pool"}; }

EndNames named_pooling() {
  return {.average = "avg_pool", .avg_pooling = "avg_pool", .max_pooling = "max_pool"};
}

Tensor pooled(const ApplicationOptions& options, const Tensor& x, const EndNames& names) {
  if (options.pooling == "avg") return GlobalAveragePooling2D({.name = names.avg_pooling})(x);
  if (options.pooling == "max") return GlobalMaxPooling2D({.name = names.max_pooling})(x);
  return x;
}

Tensor end_model(const ApplicationOptions& options, const Tensor& x, const EndNames& names) {
  if (!options.include_top) return pooled(options, x, names);
  const Tensor features = GlobalAveragePooling2D({.name = names.average})(x);
  return Dense(options.classes,
               {.activation = options.classifier_activation, .name = "predictions"})(features);
}

Model finish_model(const ApplicationOptions& options, const Tensor& input, const Tensor& output,
                   const std::string& default_name, const ImagenetWeights& files, Sources form) {
  Nest inputs = input;
  if (options.input_tensor.defined()) {
    std::set<const GraphNode*> seen;
    Tensors sources;
    find_sources(options.input_tensor, seen, sources);
    inputs = form == Sources::first_only ? Nest(sources.at(0)) : Nest(sources);
  }
  Model model(inputs, output, options.name.value_or(default_name));
  if (is_imagenet(options)) {
    model.load_weights(file_of(options.include_top ? files.with_top : files.without_top));
  } else if (options.weights) {
    model.load_weights(*options.weights);
  }
  return model;
}

}  // namespace antler::applications
