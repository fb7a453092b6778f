#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/ops/axes.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/pooling.h"

/// Convolutions and pooling with arguments by name.
namespace antler::ops {

/// The arguments of conv() by name.
struct ConvArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  NumberOrList strides = {1};        ///< one number, or one per spatial dimension
  std::string padding = "valid";     ///< "same" or "causal"
  NumberOrList dilation_rate = {1};  ///< distance between elements of the kernel
};
// Templates, so that options that fit both types select the overload with ConvDims.
template <class Arguments = ConvArguments>
Tensor conv(const Tensor& x, const Tensor& kernel, const std::type_identity_t<Arguments>& by_name) {
  return conv(x, kernel,
              conv_dims(x, kernel, by_name.strides, by_name.padding, by_name.dilation_rate));
}
ANTLER_KEYWORD_FUNCTION(conv, ConvArguments, const Tensor&, const Tensor&)
template <class Arguments = ConvArguments>
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel,
                      const std::type_identity_t<Arguments>& by_name) {
  return depthwise_conv(
      x, kernel, conv_dims(x, kernel, by_name.strides, by_name.padding, by_name.dilation_rate));
}
ANTLER_KEYWORD_FUNCTION(depthwise_conv, ConvArguments, const Tensor&, const Tensor&)
template <class Arguments = ConvArguments>
Tensor separable_conv(const Tensor& x, const Tensor& depthwise_kernel,
                      const Tensor& pointwise_kernel,
                      const std::type_identity_t<Arguments>& by_name) {
  return separable_conv(
      x, depthwise_kernel, pointwise_kernel,
      conv_dims(x, depthwise_kernel, by_name.strides, by_name.padding, by_name.dilation_rate));
}
ANTLER_KEYWORD_FUNCTION(separable_conv, ConvArguments, const Tensor&, const Tensor&, const Tensor&)
/// A convolution with stride 1 and padding "valid".
inline Tensor conv(const Tensor& x, const Tensor& kernel) {
  return conv(x, kernel, conv_dims(x, kernel));
}
/// Convolutions with one stride for all dimensions by position: `conv(x, kernel, 2, "same")`.
template <std::integral Stride>
Tensor conv(const Tensor& x, const Tensor& kernel, Stride strides,
            const std::string& padding = "valid") {
  return conv(x, kernel, conv_dims(x, kernel, {strides}, padding));
}
template <std::integral Stride>
Tensor depthwise_conv(const Tensor& x, const Tensor& kernel, Stride strides,
                      const std::string& padding = "valid") {
  return depthwise_conv(x, kernel, conv_dims(x, kernel, {strides}, padding));
}
/// The arguments of conv_transpose() by name.
struct ConvTransposeArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  NumberOrList strides = {1};        ///< one number, or one per spatial dimension
  std::string padding = "valid";     ///< or "same"
  NumberOrList output_padding = {};  ///< default: by strides and padding
  NumberOrList dilation_rate = {1};  ///< distance between elements of the kernel
};
inline Tensor conv_transpose(const Tensor& x, const Tensor& kernel,
                             const ConvTransposeArguments& by_name) {
  return transposed_conv(x, kernel, by_name.strides, by_name.padding, by_name.output_padding,
                         by_name.dilation_rate);
}
ANTLER_KEYWORD_FUNCTION(conv_transpose, ConvTransposeArguments, const Tensor&, const Tensor&)
/// Pooling with one stride for all dimensions by position: `max_pool(x, 2, 2, "same")`.
template <std::integral Stride>
Tensor max_pool(const Tensor& x, const NumberOrList& pool_size, Stride strides,
                const std::string& padding = "valid") {
  return max_pool(x, std::vector<int64_t>(pool_size), {.strides = strides, .padding = padding});
}
template <std::integral Stride>
Tensor average_pool(const Tensor& x, const NumberOrList& pool_size, Stride strides,
                    const std::string& padding = "valid") {
  return average_pool(x, std::vector<int64_t>(pool_size), {.strides = strides, .padding = padding});
}
/// Pooling to one size for all dimensions.
inline Tensor adaptive_max_pool(const Tensor& x, int64_t output_size, int first_axis = 1) {
  return adaptive_max_pool(x, std::vector<int64_t>{output_size}, first_axis);
}
inline Tensor adaptive_average_pool(const Tensor& x, int64_t output_size, int first_axis = 1) {
  return adaptive_average_pool(x, std::vector<int64_t>{output_size}, first_axis);
}
/// Pooling with one size for all dimensions.
inline Tensor max_pool(const Tensor& x, int64_t pool_size, const PoolOptions& options = {}) {
  return max_pool(x, std::vector<int64_t>{pool_size}, options);
}
ANTLER_KEYWORD_FUNCTION(max_pool, PoolOptions, const Tensor&, int64_t)
inline Tensor average_pool(const Tensor& x, int64_t pool_size, const PoolOptions& options = {}) {
  return average_pool(x, std::vector<int64_t>{pool_size}, options);
}
ANTLER_KEYWORD_FUNCTION(average_pool, PoolOptions, const Tensor&, int64_t)

}  // namespace antler::ops
