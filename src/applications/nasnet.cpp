// NASNetMobile, NASNetLarge.
#include <optional>
#include <string>

#include "antler/applications/models.h"
#include "antler/base/error.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/reshaping.h"
#include "applications/convolutions.h"
#include "applications/image_model.h"

namespace antler::applications {
namespace {

struct NASNetKind {
  const char* name;
  int64_t size;
  int64_t penultimate_filters;
  int64_t num_blocks;
  int64_t stem_filters;
  bool
      skip_reduction;  ///< the cell after a reduction gets the reduction's `before`, not its `last`
  ImagenetWeights files;
};

/// The inputs of a cell: the outputs of the previous cell and of the one before that.
struct Cells {
  Tensor last;
  Tensor before;
};

Tensor nasnet_bn(const Tensor& x, const std::string& name) {
  return BatchNormalization({.axis = -1, .momentum = 0.9997, .epsilon = 1e-3, .name = name})(x);
}
Tensor nasnet_relu(const Tensor& x) { return Activation("relu")(x); }

/// A 1 x 1 convolution with He initialization.
Tensor nasnet_conv(const Tensor& x, int64_t filters, const std::string& name) {
  return Conv2D(filters, 1,
                {.strides = 1,
                 .padding = "same",
                 .use_bias = false,
                 .kernel_initializer = "he_normal",
                 .name = name})(x);
}

/// Relu, separable convolution and batch normalization, twice. The first convolution has the
/// stride.
Tensor separable_pair(const Tensor& input, int64_t filters, int64_t size, int64_t stride,
                      const std::string& id) {
  Tensor x = nasnet_relu(input);
  if (stride == 2) {
    x = ZeroPadding2D(correct_pad(x, size), {.name = "separable_conv_1_pad_" + id})(x);
  }
  x = SeparableConv2D(filters, size,
                      {.strides = stride,
                       .padding = stride == 2 ? "valid" : "same",
                       .use_bias = false,
                       .name = "separable_conv_1_" + id})(x);
  x = nasnet_relu(nasnet_bn(x, "separable_conv_1_bn_" + id));
  x = SeparableConv2D(filters, size,
                      {.padding = "same", .use_bias = false, .name = "separable_conv_2_" + id})(x);
  return nasnet_bn(x, "separable_conv_2_bn_" + id);
}

/// Takes every second pixel.
Tensor subsample(const Tensor& x, const std::string& name) {
  return AveragePooling2D({.pool_size = 1, .strides = 2, .padding = "valid", .name = name})(x);
}

/// Projects `before` to the size of `last` and `filters` channels.
Tensor adjusted(const Cells& cells, int64_t filters, const std::string& id) {
  if (!cells.before.defined()) return cells.last;
  Tensor p = cells.before;
  if (p.shape()[2] != cells.last.shape()[2]) {
    p = Activation("relu", {.name = "adjust_relu_1_" + id})(p);
    Tensor even = subsample(p, "adjust_avg_pool_1_" + id);
    even = nasnet_conv(even, filters / 2, "adjust_conv_1_" + id);
    Tensor odd = ZeroPadding2D(EdgeSizes{{0, 1}, {0, 1}})(p);
    odd = Cropping2D(EdgeSizes{{1, 0}, {1, 0}})(odd);
    odd = subsample(odd, "adjust_avg_pool_2_" + id);
    odd = nasnet_conv(odd, filters / 2, "adjust_conv_2_" + id);
    return nasnet_bn(layers::concatenate({even, odd}, {.axis = -1}), "adjust_bn_" + id);
  }
  if (p.shape()[3] == filters) return p;
  p = nasnet_conv(nasnet_relu(p), filters, "adjust_conv_projection_" + id);
  return nasnet_bn(p, "adjust_bn_" + id);
}

Tensor nasnet_average(const Tensor& x, const std::string& name) {
  return AveragePooling2D({.pool_size = 3, .strides = 1, .padding = "same", .name = name})(x);
}
Tensor nasnet_add(const Tensor& a, const Tensor& b, const std::optional<std::string>& name) {
  return layers::add({a, b}, {.name = name});
}

Cells normal_cell(const Cells& cells, int64_t filters, const std::string& id) {
  const Tensor p = adjusted(cells, filters, id);
  Tensor h = nasnet_conv(nasnet_relu(cells.last), filters, "normal_conv_1_" + id);
  h = nasnet_bn(h, "normal_bn_1_" + id);
  Tensor left = separable_pair(h, filters, 5, 1, "normal_left1_" + id);
  Tensor right = separable_pair(p, filters, 3, 1, "normal_right1_" + id);
  const Tensor x1 = nasnet_add(left, right, "normal_add_1_" + id);
  left = separable_pair(p, filters, 5, 1, "normal_left2_" + id);
  right = separable_pair(p, filters, 3, 1, "normal_right2_" + id);
  const Tensor x2 = nasnet_add(left, right, "normal_add_2_" + id);
  const Tensor x3 = nasnet_add(nasnet_average(h, "normal_left3_" + id), p, "normal_add_3_" + id);
  left = nasnet_average(p, "normal_left4_" + id);
  right = nasnet_average(p, "normal_right4_" + id);
  const Tensor x4 = nasnet_add(left, right, "normal_add_4_" + id);
  left = separable_pair(h, filters, 3, 1, "normal_left5_" + id);
  const Tensor x5 = nasnet_add(left, h, "normal_add_5_" + id);
  return {layers::concatenate({p, x1, x2, x3, x4, x5}, {.axis = -1, .name = "normal_concat_" + id}),
          cells.last};
}

Cells reduction_cell(const Cells& cells, int64_t filters, const std::string& id) {
  const Tensor p = adjusted(cells, filters, id);
  Tensor h = nasnet_conv(nasnet_relu(cells.last), filters, "reduction_conv_1_" + id);
  h = nasnet_bn(h, "reduction_bn_1_" + id);
  const Tensor padded = ZeroPadding2D(correct_pad(h, 3), {.name = "reduction_pad_1_" + id})(h);
  const auto window = [](const std::string& name) {
    return PoolingOptions{.pool_size = 3, .strides = 2, .padding = "valid", .name = name};
  };
  Tensor left = separable_pair(h, filters, 5, 2, "reduction_left1_" + id);
  Tensor right = separable_pair(p, filters, 7, 2, "reduction_right1_" + id);
  const Tensor x1 = nasnet_add(left, right, "reduction_add_1_" + id);
  left = MaxPooling2D(window("reduction_left2_" + id))(padded);
  right = separable_pair(p, filters, 7, 2, "reduction_right2_" + id);
  const Tensor x2 = nasnet_add(left, right, "reduction_add_2_" + id);
  left = AveragePooling2D(window("reduction_left3_" + id))(padded);
  right = separable_pair(p, filters, 5, 2, "reduction_right3_" + id);
  const Tensor x3 = nasnet_add(left, right, "reduction_add3_" + id);
  const Tensor x4 = nasnet_add(x2, nasnet_average(x1, "reduction_left4_" + id), {});
  left = separable_pair(x1, filters, 3, 1, "reduction_left4_" + id);
  right = MaxPooling2D(window("reduction_right5_" + id))(padded);
  const Tensor x5 = nasnet_add(left, right, "reduction_add4_" + id);
  return {layers::concatenate({x2, x3, x4, x5}, {.axis = -1, .name = "reduction_concat_" + id}),
          cells.last};
}

Model make_nasnet(const NASNetKind& kind, const ApplicationOptions& options) {
  if (is_imagenet(options) && options.input_shape && !options.input_shape->is_known()) {
    throw ValueError(
        "When specifying the input shape of a NASNet and loading `ImageNet` weights, the "
        "`input_shape` argument must be static. Received: input_shape={}",
        options.input_shape->str());
  }
  const Tensor input = begin_model(options, kind.size, 32);
  const int64_t filters = kind.penultimate_filters / 24;
  Tensor x = Conv2D(kind.stem_filters, 3,
                    {.strides = 2,
                     .padding = "valid",
                     .use_bias = false,
                     .kernel_initializer = "he_normal",
                     .name = "stem_conv1"})(input);
  Cells cells = {nasnet_bn(x, "stem_bn1"), {}};
  cells = reduction_cell(cells, filters / 4, "stem_1");
  cells = reduction_cell(cells, filters / 2, "stem_2");
  const int64_t n = kind.num_blocks;
  for (int64_t stage = 0; stage < 3; ++stage) {
    const int64_t width = filters << stage;
    if (stage > 0) {
      const Cells reduced = reduction_cell(cells, width, "reduce_" + std::to_string(stage * n));
      cells = {reduced.last, kind.skip_reduction ? cells.before : reduced.before};
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t id = stage * n + i + (stage > 0 ? 1 : 0);
      cells = normal_cell(cells, width, std::to_string(id));
    }
  }
  x = nasnet_relu(cells.last);
  return finish_model(options, input, end_model(options, x, {}), kind.name, kind.files);
}

constexpr const char* kNASNetUrl =
    "https://storage.googleapis.com/tensorflow/keras-applications/nasnet/";

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): Keras's names
Model NASNetMobile(const ApplicationOptions& options) {
  ApplicationOptions sized = options;
  if (!options.include_top && !options.input_shape) sized.input_shape = Shape{224, 224, 3};
  const std::string url = kNASNetUrl;
  return make_nasnet(
      {"nasnet_mobile",
       224,
       1056,
       4,
       32,
       false,
       {{url + "NASNet-mobile.h5", "020fb642bf7360b370c678b08e0adf61", "nasnet_mobile.h5"},
        {url + "NASNet-mobile-no-top.h5", "1ed92395b5b598bdda52abe5c0dbfd63",
         "nasnet_mobile_no_top.h5"}}},
      sized);
}
Model NASNetLarge(const ApplicationOptions& options) {
  const std::string url = kNASNetUrl;
  return make_nasnet(
      {"nasnet_large",
       331,
       4032,
       6,
       96,
       true,
       {{url + "NASNet-large.h5", "11577c9a518f0070763c2b964a382f17", "nasnet_large.h5"},
        {url + "NASNet-large-no-top.h5", "d81d89dc07e6e56530c4e77faddd61b5",
         "nasnet_large_no_top.h5"}}},
      options);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::applications
