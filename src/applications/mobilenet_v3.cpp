// MobileNetV3Small, MobileNetV3Large.
#include <string>
#include <vector>

#include "antler/applications/models.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/nn/layers/regularization.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/ops/numpy/elementwise.h"
#include "applications/convolutions.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

/// A bottleneck in the tables of the paper. `wide`: the kernel is 5 x 5. `swish`: hard swish
/// instead of relu. Minimalistic models use neither, and no squeeze-and-excite.
struct Bottleneck {
  double expansion;
  int64_t filters;
  bool wide;
  int64_t stride;
  bool squeeze;
  bool swish;
};

struct MobileNetV3Kind {
  const char* name;
  const char* type;  ///< part of the file names
  std::vector<Bottleneck> blocks;
  int64_t last_filters;
};

Tensor mobilenet_v3_bn(const Tensor& x, const std::string& name) {
  return BatchNormalization({.axis = -1, .momentum = 0.999, .epsilon = 1e-3, .name = name})(x);
}

Tensor mobilenet_v3_activation(const Tensor& x, bool swish) {
  return swish ? Activation("hard_swish")(x) : ReLU()(x);
}

Tensor squeeze_excite(const Tensor& input, int64_t filters, const std::string& prefix) {
  const std::string name = prefix + "squeeze_excite_";
  Tensor x = GlobalAveragePooling2D({.keepdims = true, .name = name + "avg_pool"})(input);
  const int64_t squeezed = multiple_of_8(static_cast<double>(filters) * 0.25);
  x = Conv2D(squeezed, 1, {.padding = "same", .name = name + "conv"})(x);
  x = ReLU({.name = name + "relu"})(x);
  x = Conv2D(filters, 1, {.padding = "same", .name = name + "conv_1"})(x);
  x = ReLU({.max_value = 6.0})(x + Tensor(3.0)) * Tensor(1.0 / 6.0);
  return Multiply({.name = name + "mul"})({input, x});
}

Tensor mobilenet_v3_block(const Tensor& input, const Bottleneck& block, int64_t filters, int id) {
  const std::string prefix =
      id > 0 ? "expanded_conv_" + std::to_string(id) + "_" : "expanded_conv_";
  const int64_t channels = input.shape()[3];
  const int64_t expanded = multiple_of_8(static_cast<double>(channels) * block.expansion);
  const int64_t size = block.wide ? 5 : 3;
  Tensor x = input;
  if (id > 0) {
    x = Conv2D(expanded, 1, {.padding = "same", .use_bias = false, .name = prefix + "expand"})(x);
    x = mobilenet_v3_activation(mobilenet_v3_bn(x, prefix + "expand_bn"), block.swish);
  }
  if (block.stride == 2) {
    x = ZeroPadding2D(correct_pad(x, size), {.name = prefix + "depthwise_pad"})(x);
  }
  x = DepthwiseConv2D(size, {.strides = block.stride,
                             .padding = block.stride == 1 ? "same" : "valid",
                             .use_bias = false,
                             .name = prefix + "depthwise"})(x);
  x = mobilenet_v3_activation(mobilenet_v3_bn(x, prefix + "depthwise_bn"), block.swish);
  if (block.squeeze) x = squeeze_excite(x, expanded, prefix);
  x = Conv2D(filters, 1, {.padding = "same", .use_bias = false, .name = prefix + "project"})(x);
  x = mobilenet_v3_bn(x, prefix + "project_bn");
  const bool residual = block.stride == 1 && channels == filters;
  return residual ? Add({.name = prefix + "add"})({input, x}) : x;
}

/// MD5 of the published weights files, with and without top.
ImagenetWeights mobilenet_v3_weights(const MobileNetV3Kind& kind, const MobileNetV3Options& o) {
  struct Entry {
    const char* name;
    const char* with_top;
    const char* without_top;
  };
  constexpr Entry kEntries[] = {
      {"large_224_0.75_float", "765b44a33ad4005b3ac83185abf1d0eb",
       "40af19a13ebea4e2ee0c676887f69a2e"},
      {"large_224_1.0_float", "59e551e166be033d707958cf9e29a6a7",
       "07fb09a5933dd0c8eaafa16978110389"},
      {"large_minimalistic_224_1.0_float", "675e7b876c45c57e9e63e6d90a36599c",
       "ec5221f64a2f6d1ef965a614bdae7973"},
      {"small_224_0.75_float", "cb65d4e5be93758266aa0a7f2c6708b7",
       "ebdb5cc8e0b497cd13a7c275d475c819"},
      {"small_224_1.0_float", "8768d4c2e7dee89b9d02b2d03d65d862",
       "d3e8ec802a04aa4fc771ee12a9a9b836"},
      {"small_minimalistic_224_1.0_float", "99cd97fb2fcdad2bf028eb838de69e37",
       "cde8136e733e811080d9fcd8a252f7e4"}};
  const std::string name = std::string(kind.type) + (o.minimalistic ? "_minimalistic" : "") +
                           "_224_" + python_float(o.alpha) + "_float";
  for (const Entry& e : kEntries) {
    if (name != e.name) continue;
    const std::string file = "weights_mobilenet_v3_" + name;
    return imagenet_weights(
        "https://storage.googleapis.com/tensorflow/keras-applications/mobilenet_v3/", file + ".h5",
        file + "_no_top_v2.h5", e.with_top, e.without_top);
  }
  throw ValueError(
      "If imagenet weights are being loaded, `alpha` can be one of 0.75, 1.0 for non minimalistic "
      "or 1.0 for minimalistic only. Received: alpha={}",
      python_float(o.alpha));
}

Shape mobilenet_v3_shape(const MobileNetV3Options& options) {
  Shape shape{Shape::kUnknown, Shape::kUnknown, 3};
  if (options.input_tensor.defined()) {
    const Shape& given = options.input_tensor.shape();
    if (options.input_shape && given.dim(2) != options.input_shape->dim(1)) {
      throw ValueError(
          "input_shape[1] must equal input_tensor.shape[2]. Received: input_shape={}, "
          "input_tensor.shape={}",
          options.input_shape->str(), given);
    }
    shape = Shape(given.begin() + 1, given.end());
  } else if (options.input_shape) {
    shape = *options.input_shape;
  }
  const auto small = [](int64_t size) { return size != Shape::kUnknown && size < 32; };
  if (shape.rank() != 3 || small(shape[0]) || small(shape[1])) {
    throw ValueError("Input size must be at least 32x32. Received: input_shape={}", shape);
  }
  return shape;
}

Model make_mobilenet_v3(const MobileNetV3Kind& kind, const MobileNetV3Options& options) {
  const ApplicationOptions common = common_options(options);
  check_arguments(common);
  const Shape shape = mobilenet_v3_shape(options);
  ImagenetWeights files;
  if (is_imagenet(common)) {
    files = mobilenet_v3_weights(kind, options);
    if (shape[0] != 224 || shape[1] != 224) {
      logging::warning(
          "`input_shape` is undefined or not square, or not of 224 rows. Weights for input shape "
          "(224, 224) will be loaded as the default.");
    }
  }
  const bool swish = !options.minimalistic;
  const Tensor input = image_input(common, shape);
  Tensor x = input;
  if (options.include_preprocessing) x = Rescaling(1.0 / 127.5, {.offset = -1.0})(x);
  x = Conv2D(16, 3, {.strides = 2, .padding = "same", .use_bias = false, .name = "conv"})(x);
  x = mobilenet_v3_activation(mobilenet_v3_bn(x, "conv_bn"), swish);
  int id = 0;
  for (Bottleneck block : kind.blocks) {
    const int64_t filters = multiple_of_8(static_cast<double>(block.filters) * options.alpha);
    if (options.minimalistic) block.wide = block.squeeze = block.swish = false;
    x = mobilenet_v3_block(x, block, filters, id++);
  }
  const int64_t features = multiple_of_8(static_cast<double>(x.shape()[3] * 6));
  x = Conv2D(features, 1, {.padding = "same", .use_bias = false, .name = "conv_1"})(x);
  x = mobilenet_v3_activation(mobilenet_v3_bn(x, "conv_1_bn"), swish);
  if (options.include_top) {
    const int64_t last = options.alpha > 1.0
                             ? multiple_of_8(static_cast<double>(kind.last_filters) * options.alpha)
                             : kind.last_filters;
    x = GlobalAveragePooling2D({.keepdims = true})(x);
    x = Conv2D(last, 1, {.padding = "same", .name = "conv_2"})(x);
    x = mobilenet_v3_activation(x, swish);
    if (options.dropout_rate > 0) x = Dropout(options.dropout_rate)(x);
    x = Conv2D(options.classes, 1, {.padding = "same", .name = "logits"})(x);
    x = Flatten()(x);
    x = Activation(options.classifier_activation, {.name = "predictions"})(x);
  } else {
    x = pooled(common, x, named_pooling());
  }
  return finish_model(common, input, x, kind.name, files);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model MobileNetV3Small(const MobileNetV3Options& options) {
  return make_mobilenet_v3({"MobileNetV3Small",
                            "small",
                            {{1, 16, false, 2, true, false},
                             {72.0 / 16, 24, false, 2, false, false},
                             {88.0 / 24, 24, false, 1, false, false},
                             {4, 40, true, 2, true, true},
                             {6, 40, true, 1, true, true},
                             {6, 40, true, 1, true, true},
                             {3, 48, true, 1, true, true},
                             {3, 48, true, 1, true, true},
                             {6, 96, true, 2, true, true},
                             {6, 96, true, 1, true, true},
                             {6, 96, true, 1, true, true}},
                            1024},
                           options);
}
Model MobileNetV3Large(const MobileNetV3Options& options) {
  return make_mobilenet_v3({"MobileNetV3Large",
                            "large",
                            {{1, 16, false, 1, false, false},
                             {4, 24, false, 2, false, false},
                             {3, 24, false, 1, false, false},
                             {3, 40, true, 2, true, false},
                             {3, 40, true, 1, true, false},
                             {3, 40, true, 1, true, false},
                             {6, 80, false, 2, false, true},
                             {2.5, 80, false, 1, false, true},
                             {2.3, 80, false, 1, false, true},
                             {2.3, 80, false, 1, false, true},
                             {6, 112, false, 1, true, true},
                             {6, 112, false, 1, true, true},
                             {6, 160, true, 2, true, true},
                             {6, 160, true, 1, true, true},
                             {6, 160, true, 1, true, true}},
                            1280},
                           options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
