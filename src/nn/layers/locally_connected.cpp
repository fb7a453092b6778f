// LocallyConnected1D, LocallyConnected2D.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/legacy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "nn/layers/conv_support.h"
#include "nn/layers/locally_connected_geometry.h"
#include "nn/layers/weight_fields.h"

namespace antler {

template <class V>
void fields(V& v, LocallyConnectedOptions& o) {
  v.required("filters", o.filters);
  v.required("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("data_format", o.data_format);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  kernel_and_bias_fields(v, o);
  v("implementation", o.implementation);
}

namespace {

using Ints = std::vector<int64_t>;

/// The element at `tap` of each window of x [batch, space..., channels].
Tensor elements_at(const Tensor& x, const Ints& tap, const Ints& places, const Ints& strides) {
  Ints starts(static_cast<size_t>(x.rank()), 0);
  Ints limits = x.shape().dims();
  Ints steps(starts.size(), 1);
  for (size_t d = 0; d < tap.size(); ++d) {
    starts[d + 1] = tap[d];
    limits[d + 1] = tap[d] + (places[d] - 1) * strides[d] + 1;
    steps[d + 1] = strides[d];
  }
  return ops::strided_slice(x, starts, limits, steps);
}

LocalGeometry geometry_of(const Ints& sizes, const LocallyConnectedOptions& o) {
  return {.input = sizes,
          .kernel = o.kernel_size.values(),
          .strides = o.strides.values(),
          .same = o.padding == "same"};
}

/// The shape of the mask of implementation 2: the shape of its kernel, with 1 in place of the
/// channels.
Shape mask_shape(const LocalGeometry& geometry, bool first) {
  Shape shape;
  for (const Ints& sizes : {geometry.input, geometry.output()}) {
    if (first) shape.push_back(1);
    for (const int64_t size : sizes) shape.push_back(size);
    if (!first) shape.push_back(1);
  }
  return shape;
}

Shape kernel_shape(const LocalGeometry& geometry, int64_t channels,
                   const LocallyConnectedOptions& o, bool first) {
  if (o.implementation == 1) {
    return {product_of(geometry.output()), product_of(geometry.kernel) * channels, o.filters};
  }
  if (o.implementation == 3) {
    return {std::ssize(weight_places(geometry, channels, o.filters, first))};
  }
  Shape shape = mask_shape(geometry, first);
  const int rank = static_cast<int>(geometry.input.size());
  shape[first ? 0 : rank] = channels;
  shape[first ? rank + 1 : 2 * rank + 1] = o.filters;
  return shape;
}

}  // namespace

BaseLocallyConnected::BaseLocallyConnected(int rank, const char* class_name,
                                           const LocallyConnectedOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  LocallyConnectedOptions& o = options_;
  check_positive(o.filters, "filters");
  Sizes no_dilation;
  expand_conv_sizes(rank, false, o.kernel_size, o.strides, no_dilation);
  is_channels_first(o.data_format, class_name);
  if (o.implementation < 1 || o.implementation > 3) {
    throw ValueError("Unrecognized implementation mode: {}.", o.implementation);
  }
  if (o.padding != "valid" && o.implementation == 1) {
    throw ValueError(
        "Invalid border mode for {} (only \"valid\" is supported if implementation is 1): {}",
        class_name, o.padding);
  }
  if (o.padding != "valid" && o.padding != "same") {
    throw ValueError("{}: `padding` must be \"valid\" or \"same\". Received: padding={}",
                     class_name, o.padding);
  }
  set_input_spec({.ndim = rank + 2});
}

void BaseLocallyConnected::build(const Shape& input_shape) {
  const bool first = is_channels_first(options_.data_format, class_name());
  const auto [axis, channels] = input_channels(input_shape, first);
  const auto begin = input_shape.begin() + (first ? 2 : 1);
  const Ints sizes(begin, begin + rank_);
  if (!Shape(sizes).is_known()) {
    throw ValueError(
        "The spatial dimensions of the inputs to a {} layer should be fully-defined, but layer "
        "received the inputs shape {}",
        class_name(), input_shape);
  }
  const LocalGeometry geometry = geometry_of(sizes, options_);
  const Ints places = geometry.output();
  if (product_of(places) <= 0) {
    throw ValueError(
        "One of the dimensions in the output is <= 0 due to downsampling in {}. Consider "
        "increasing the input size. Received input shape {} which would produce output shape with "
        "a zero or negative value in a dimension.",
        name(), input_shape);
  }
  kernel_ = add_weight(kernel_weight(options_, kernel_shape(geometry, channels, options_, first)));
  if (options_.use_bias) {
    Shape shape(places);
    shape.push_back(options_.filters);
    bias_ = add_weight(bias_weight(options_, shape));
  }
  set_input_spec({.ndim = rank_ + 2, .axes = {{axis, channels}}});
}

Tensor BaseLocallyConnected::by_place(const Tensor& x, const Ints& places) const {
  const bool first = is_channels_first(options_.data_format, class_name());
  const Ints& kernel = options_.kernel_size.values();
  Tensors elements;
  Ints tap(kernel.size(), 0);
  for (int64_t i = 0; i < product_of(kernel); ++i) {
    int64_t rest = i;
    for (size_t d = kernel.size(); d-- > 0; rest /= kernel[d]) tap[d] = rest % kernel[d];
    elements.push_back(elements_at(x, tap, places, options_.strides.values()));
  }
  // The elements of a window are ordered as in Keras: by tap and channel, or by channel and tap if
  // the channels come first.
  const Tensor windows = ops::stack(elements, first ? -1 : -2);
  const Tensor weights = value_of(kernel_);
  const Tensor flat = ops::reshape(windows, {x.dim(0), product_of(places), weights.dim(1)});
  const Tensor y = ops::dot_general(
      flat, weights,
      {.lhs_contract = {2}, .rhs_contract = {1}, .lhs_batch = {1}, .rhs_batch = {0}});
  Shape shape{x.dim(0)};
  for (const int64_t size : places) shape.push_back(size);
  shape.push_back(options_.filters);
  return ops::reshape(ops::transpose(y, {1, 0, 2}), shape);
}

Tensor BaseLocallyConnected::by_matrix(const Tensor& x, const LocalGeometry& geometry) const {
  const bool first = is_channels_first(options_.data_format, class_name());
  const int64_t inputs = x.size() / std::max<int64_t>(x.dim(0), 1);
  const int64_t outputs = product_of(geometry.output()) * options_.filters;
  const Tensor flat = ops::reshape(x, {x.dim(0), inputs});
  Tensor weights = value_of(kernel_);
  if (options_.implementation == 2) {
    const Tensor mask = Tensor::of(geometry.mask(), mask_shape(geometry, first));
    weights = ops::reshape(weights * ops::cast(mask, weights.dtype()), {inputs, outputs});
    return ops::matmul(flat, weights);
  }
  const int64_t channels = inputs / product_of(geometry.input);
  const Tensor places = Tensor::of(weight_places(geometry, channels, options_.filters, first));
  const Tensor zeros = ops::zeros({outputs * inputs}, weights.dtype());
  const Tensor matrix =
      ops::reshape(ops::scatter(zeros, places, weights, ops::ScatterMode::add), {outputs, inputs});
  return ops::matmul(flat, ops::transpose(matrix));
}

Tensor BaseLocallyConnected::call(const Tensor& input, const CallOptions&) {
  const bool first = is_channels_first(options_.data_format, class_name());
  const auto begin = input.shape().begin() + (first ? 2 : 1);
  const LocalGeometry geometry = geometry_of(Ints(begin, begin + rank_), options_);
  const Ints places = geometry.output();
  Shape shape{input.dim(0)};
  if (first) shape.push_back(options_.filters);
  for (const int64_t size : places) shape.push_back(size);
  if (!first) shape.push_back(options_.filters);
  Tensor y;
  if (options_.implementation == 1) {
    y = by_place(first ? channels_to_last(input) : input, places);
    if (first) y = channels_to_first(y);
  } else {
    y = ops::reshape(by_matrix(input, geometry), shape);
  }
  if (options_.use_bias) {
    // With channels first, Keras reads the same numbers as [filters, places...].
    const Tensor bias = value_of(bias_);
    y = y + (first ? ops::reshape(bias, Shape(Ints(shape.begin() + 1, shape.end()))) : bias);
  }
  return options_.activation(y);
}

Json BaseLocallyConnected::get_config() const { return config_of(*this, options_); }

LocallyConnected1D::LocallyConnected1D(int64_t filters, const Sizes& kernel_size,
                                       LocallyConnectedOptions options)
    : LocallyConnected1D(
          by_position<&LocallyConnectedOptions::filters, &LocallyConnectedOptions::kernel_size>(
              "LocallyConnected1D", std::move(options), filters, kernel_size)) {}
LocallyConnected1D::LocallyConnected1D(const LocallyConnectedOptions& options)
    : LayerBase(1, "LocallyConnected1D", options) {}
LocallyConnected2D::LocallyConnected2D(int64_t filters, const Sizes& kernel_size,
                                       LocallyConnectedOptions options)
    : LocallyConnected2D(
          by_position<&LocallyConnectedOptions::filters, &LocallyConnectedOptions::kernel_size>(
              "LocallyConnected2D", std::move(options), filters, kernel_size)) {}
LocallyConnected2D::LocallyConnected2D(const LocallyConnectedOptions& options)
    : LayerBase(2, "LocallyConnected2D", options) {}

LayerClasses locally_connected_layers() {
  return layer_classes_of<LocallyConnectedOptions, LocallyConnected1D, LocallyConnected2D>();
}

}  // namespace antler
