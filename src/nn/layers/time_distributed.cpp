#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/layers/wrappers.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/nested_layer.h"

namespace antler {

namespace {

/// Layers that treat each sample separately and change no variables, so that steps can be treated
/// like samples.
constexpr std::array<std::string_view, 19> kSampleWise = {"Dense",
                                                          "EinsumDense",
                                                          "Embedding",
                                                          "Activation",
                                                          "ReLU",
                                                          "LeakyReLU",
                                                          "Softmax",
                                                          "LayerNormalization",
                                                          "Conv1D",
                                                          "Conv2D",
                                                          "Conv3D",
                                                          "MaxPooling1D",
                                                          "MaxPooling2D",
                                                          "AveragePooling1D",
                                                          "AveragePooling2D",
                                                          "GlobalAveragePooling1D",
                                                          "GlobalMaxPooling1D",
                                                          "Flatten",
                                                          "Rescaling"};

bool is_sample_wise(const Layer& layer) {
  return std::find(kSampleWise.begin(), kSampleWise.end(), layer.class_name()) != kSampleWise.end();
}

/// [batch, time, ...] -> [batch * time, ...].
Tensor folded(const Tensor& x) {
  Shape shape{x.dim(0) * x.dim(1)};
  for (int i = 2; i < x.rank(); ++i) shape.push_back(x.dim(i));
  return ops::reshape(x, shape);
}

Tensor unfolded(const Tensor& y, int64_t batch, int64_t time) {
  Shape shape{batch, time};
  for (int i = 1; i < y.rank(); ++i) shape.push_back(y.dim(i));
  return ops::reshape(y, shape);
}

void check_mask(const Tensor& mask, const Tensor& input) {
  if (mask.rank() < 2) {
    throw ValueError(
        "The `mask` passed to the `TimeDistributed` layer must be at least 2D (e.g., `(batch_size, "
        "timesteps)`), but it has {} dimension(s) with shape {}.",
        mask.rank(), mask.shape());
  }
  if (mask.dim(0) != input.dim(0) || mask.dim(1) != input.dim(1)) {
    throw ValueError(
        "The `mask` passed to the `TimeDistributed` layer has a shape {} that is incompatible with "
        "the input shape {}. The first two dimensions of the mask (batch size and timesteps) must "
        "match the input's first two dimensions. Expected mask shape prefix: ({}, {}).",
        mask.shape(), input.shape(), input.dim(0), input.dim(1));
  }
}

const LayerPtr& given(const LayerPtr& layer) {
  if (layer == nullptr) {
    throw ValueError("TimeDistributed: `layer` must be a layer. Received: None");
  }
  return layer;
}

}  // namespace

template <class V>
void fields(V& v, TimeDistributedOptions& o) {
  v("layer", o.layer);
}

TimeDistributed::TimeDistributed(const LayerHandle& layer, const TimeDistributedOptions& options)
    : LayerBase("TimeDistributed", layer, base_options(options)) {
  set_supports_masking(true);
}

TimeDistributed::TimeDistributed(const TimeDistributedOptions& options)
    : TimeDistributed(LayerHandle(given(options.layer)), options) {}

void TimeDistributed::build(const Shape& input_shape) {
  if (input_shape.rank() < 3) {
    throw ValueError(
        "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, "
        "received: {}",
        input_shape);
  }
  Shape step{input_shape[0]};
  for (int i = 2; i < input_shape.rank(); ++i) step.push_back(input_shape[i]);
  Wrapper::build(step);
}

Tensor TimeDistributed::call(const Tensor& input, const CallOptions& options) {
  const Tensor& mask = options.mask;
  if (mask.defined()) check_mask(mask, input);
  if (is_sample_wise(*layer())) {
    const CallOptions each{.training = options.training,
                           .mask = mask.defined() ? folded(mask) : Tensor()};
    const Nest y = layer()->call(Nest(folded(input)), each);
    return unfolded(y.tensor(), input.dim(0), input.dim(1));
  }
  Tensors xs{ops::swapaxes(input, 0, 1)};
  if (mask.defined()) xs.push_back(ops::swapaxes(mask, 0, 1));
  const ops::ScanStep step = [&](const Tensors&, const Tensors& now) {
    const CallOptions each{.training = options.training,
                           .mask = now.size() > 1 ? now[1] : Tensor()};
    const Nest y = layer()->call(Nest(now[0]), each);
    return std::pair<Tensors, Tensors>({}, {y.tensor()});
  };
  return ops::swapaxes(ops::scan(step, {}, xs).ys[0], 0, 1);
}

LayerClasses time_distributed_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<TimeDistributed, TimeDistributedOptions>()};
  return kClasses;
}

}  // namespace antler
