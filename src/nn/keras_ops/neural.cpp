// Operations of keras.ops.nn: convolutions, normalizations, losses, patches.
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/one_hot.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/keras_ops/arguments.h"

namespace antler::keras_ops {
namespace {

bool channels_come_first(const Json& config) {
  const Json format = option(config, "data_format");
  return format.is_string() && format == "channels_first";
}

/// Applies `f` to images with the channels last.
template <class F>
Tensor with_channels_last(const Tensor& x, const Json& config, const F& f) {
  if (!channels_come_first(config)) return f(x);
  return ops::moveaxis(f(ops::moveaxis(x, 1, -1)), -1, 1);
}

std::vector<int64_t> sizes_of(const Json& config, const char* key) {
  const Json value = option(config, key);
  return value.is_null() ? std::vector<int64_t>{1} : integer_list(value);
}

ops::ConvDims dims_of(const Tensor& x, const Tensor& kernel, const Json& config) {
  return ops::conv_dims(x, kernel, sizes_of(config, "strides"),
                        config.value("padding", std::string("valid")),
                        sizes_of(config, "dilation_rate"));
}

Nest run_conv(const OpArguments& a, const Json& config) {
  const Tensor& kernel = operand(a, 1);
  return with_channels_last(operand(a), config, [&](const Tensor& x) {
    ops::ConvDims dims = dims_of(x, kernel, config);
    dims.groups = x.dim(-1) / kernel.dim(-2);
    return ops::conv(x, kernel, dims);
  });
}
Nest run_depthwise_conv(const OpArguments& a, const Json& config) {
  return with_channels_last(operand(a), config, [&](const Tensor& x) {
    return ops::depthwise_conv(x, operand(a, 1), dims_of(x, operand(a, 1), config));
  });
}
Nest run_separable_conv(const OpArguments& a, const Json& config) {
  return with_channels_last(operand(a), config, [&](const Tensor& x) {
    return ops::separable_conv(x, operand(a, 1), operand(a, 2), dims_of(x, operand(a, 1), config));
  });
}
Nest run_conv_transpose(const OpArguments& a, const Json& config) {
  return with_channels_last(operand(a), config, [&](const Tensor& x) {
    return ops::conv_transpose(x, operand(a, 1), sizes_of(config, "strides"),
                               config.value("padding", std::string("valid")),
                               axes_of(config, "output_padding"),
                               sizes_of(config, "dilation_rate"));
  });
}

template <Tensor (*op)(const Tensor&, const std::vector<int64_t>&, int)>
Nest adaptive_pool(const OpArguments& a, const Json& config) {
  return op(operand(a), integer_list(config.at("output_size")),
            channels_come_first(config) ? 2 : 1);
}
template <Tensor (*op)(const Tensor&, int64_t)>
Nest blocks(const OpArguments& a, const Json& config) {
  const auto size = config.at("block_size").get<int64_t>();
  return with_channels_last(operand(a), config, [&](const Tensor& x) { return op(x, size); });
}

std::pair<int64_t, int64_t> pair_of_sizes(const Json& config, const char* key, int64_t otherwise) {
  const Json value = option(config, key);
  if (value.is_null()) return {otherwise, otherwise};
  const std::vector<int64_t> list = integer_list(value);
  return {list.front(), list.back()};
}
ops::PatchDims patch_dims(const Json& config) {
  return {.kernel_size = pair_of_sizes(config, "kernel_size", 1),
          .dilation = pair_of_sizes(config, "dilation", 1),
          .padding = pair_of_sizes(config, "padding", 0),
          .stride = pair_of_sizes(config, "stride", 1)};
}
Nest run_unfold(const OpArguments& a, const Json& config) {
  return ops::unfold(operand(a), patch_dims(config));
}
Nest run_fold(const OpArguments& a, const Json& config) {
  return ops::fold(operand(a), pair_of_sizes(config, "output_size", 1), patch_dims(config));
}

std::vector<int64_t> axes_or_last(const Json& config) {
  const Json axis = option(config, "axis");
  return axis.is_null() ? std::vector<int64_t>{-1} : integer_list(axis);
}
double epsilon_or(const Json& config, double otherwise) {
  return optional_number(config, "epsilon").value_or(otherwise);
}
Nest run_normalize(const OpArguments& a, const Json& config) {
  return ops::normalize(operand(a), axes_or_last(config), config.value("order", int64_t{2}),
                        epsilon_or(config, 1e-7));
}
Nest run_rms_norm(const OpArguments& a, const Json& config) {
  return ops::rms_normalization(operand(a), optional_operand(a, 1), axes_or_last(config),
                                epsilon_or(config, 1e-7));
}
Nest run_layer_norm(const OpArguments& a, const Json& config) {
  const Tensor gamma = optional_operand(a, 1);
  const std::vector<int64_t> axes = axes_or_last(config);
  const double epsilon = epsilon_or(config, 1e-7);
  if (!config.value("rms_scaling", false)) {
    return ops::layer_normalization(operand(a), gamma, optional_operand(a, 2), axes, epsilon);
  }
  // Unlike an RMS, the variance is about the mean.
  const Tensor& x = operand(a);
  const Tensor wide = ops::cast(x, promote_types(x.dtype(), DType::float32));
  const Tensor spread = ops::variance(wide, axes, {.keepdims = true});
  const Tensor y = wide * ops::rsqrt(spread + epsilon);
  return ops::cast(gamma.defined() ? y * ops::cast(gamma, y.dtype()) : y, x.dtype());
}
Nest run_moments(const OpArguments& a, const Json& config) {
  const ops::Moments m =
      ops::moments(operand(a), integer_list(config.at("axes")), reduce_options_of(config));
  return Nest{m.mean, m.variance};
}
/// Statistics and factors have one entry per index of the axis.
Nest run_batch_norm(const OpArguments& a, const Json& config) {
  const Tensor& x = operand(a);
  Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  const int axis = normalize_axis(integer_list(config.at("axis")).at(0), x.rank(), "axis");
  shape[axis] = x.shape()[axis];
  const auto aligned = [&](size_t index) {
    const Tensor t = optional_operand(a, index);
    return t.defined() ? ops::reshape(t, shape) : t;
  };
  return ops::batch_normalization(x, aligned(1), aligned(2), aligned(3), aligned(4),
                                  epsilon_or(config, 1e-3));
}

Nest run_binary_crossentropy(const OpArguments& a, const Json& config) {
  return ops::binary_crossentropy(operand(a), operand(a, 1),
                                  {.from_logits = config.value("from_logits", false)});
}
template <Tensor (*op)(const Tensor&, const Tensor&, ops::CrossentropyOptions)>
Nest crossentropy(const OpArguments& a, const Json& config) {
  return op(operand(a), operand(a, 1),
            {.from_logits = config.value("from_logits", false),
             .axis = config.value("axis", int64_t{-1})});
}
Nest run_ctc_loss(const OpArguments& a, const Json& config) {
  return ops::ctc_loss(operand(a), operand(a, 1), operand(a, 2), operand(a, 3),
                       config.value("mask_index", int64_t{0}));
}
Nest run_ctc_decode(const OpArguments& a, const Json& config) {
  const ops::CtcDecoded decoded =
      ops::ctc_decode(operand(a), operand(a, 1),
                      {.strategy = config.value("strategy", std::string("greedy")),
                       .beam_width = config.value("beam_width", int64_t{100}),
                       .top_paths = config.value("top_paths", int64_t{1}),
                       .merge_repeated = config.value("merge_repeated", true),
                       .mask_index = config.value("mask_index", int64_t{0})});
  return Nest{decoded.labels, decoded.scores};
}
Nest run_psnr(const OpArguments& a, const Json& config) {
  return ops::psnr(operand(a), operand(a, 1), config.at("max_val").get<double>());
}
Nest run_multi_hot(const OpArguments& a, const Json& config) {
  return ops::multi_hot(operand(a), config.at("num_classes").get<int64_t>(),
                        {.dtype = optional_dtype(config).value_or(DType::float32)});
}

constexpr KerasOpEntry kNeuralEntries[] = {
    {"Conv", run_conv, "nn"},
    {"DepthwiseConv", run_depthwise_conv, "nn"},
    {"SeparableConv", run_separable_conv, "nn"},
    {"ConvTranspose", run_conv_transpose, "nn"},
    {"AdaptiveMaxPool", adaptive_pool<ops::adaptive_max_pool>, "nn"},
    {"AdaptiveAveragePool", adaptive_pool<ops::adaptive_average_pool>, "nn"},
    {"DepthToSpace", blocks<ops::depth_to_space>, "nn"},
    {"SpaceToDepth", blocks<ops::space_to_depth>, "nn"},
    {"Unfold", run_unfold, "nn"},
    {"Fold", run_fold, "nn"},
    {"Normalize", run_normalize, "nn"},
    {"RMSNorm", run_rms_norm, "nn"},
    {"LayerNorm", run_layer_norm, "nn"},
    {"Moments", run_moments, "nn"},
    {"BatchNorm", run_batch_norm, "nn"},
    {"BinaryCrossentropy", run_binary_crossentropy, "nn"},
    {"CategoricalCrossentropy", crossentropy<ops::categorical_crossentropy>, "nn"},
    {"SparseCategoricalCrossentropy", crossentropy<ops::sparse_categorical_crossentropy>, "nn"},
    {"CTCLoss", run_ctc_loss, "nn"},
    {"CTCDecode", run_ctc_decode, "nn"},
    {"PSNR", run_psnr, "nn"},
    {"MultiHot", run_multi_hot, "nn"},
};

}  // namespace
}  // namespace antler::keras_ops

namespace antler {

std::span<const KerasOpEntry> neural_keras_ops() { return keras_ops::kNeuralEntries; }

}  // namespace antler
