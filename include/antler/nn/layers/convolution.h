#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/activation.h"
#include "antler/nn/by_position.h"
#include "antler/nn/kernel_layer.h"
#include "antler/nn/layer.h"
#include "antler/nn/sizes.h"

namespace antler {

/// Options of Conv1D, Conv2D and Conv3D.
struct ConvOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t filters = 0;                        ///< channels of the output
  Sizes kernel_size = {};                     ///< one number, or one per dimension
  Sizes strides = {};                         ///< not given: 1
  std::string padding = "valid";              ///< or "same"; Conv1D also "causal"
  std::string data_format = "channels_last";  ///< or "channels_first"
  Sizes dilation_rate = {};                   ///< not given: 1
  int64_t groups = 1;                         ///< groups of channels that are convolved separately
  ActivationFunction activation = {};         ///< of the output; {}: none
  bool use_bias = true;                       ///< whether to add a bias
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<int64_t> lora_rank = {};  ///< freezes the kernel and trains an update of this rank
  std::optional<double> lora_alpha = {};  ///< scales the update by lora_alpha / lora_rank; not
                                          ///< given: lora_rank
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Base of Conv1D, Conv2D and Conv3D: activation(conv(x, kernel) + bias). [batch, spatial...,
/// in] -> [batch, spatial'..., filters] (channels first: [batch, in, spatial...]). Weights: kernel
/// [size..., in / groups, filters], bias [filters].
class BaseConv : public KernelLayer {
 public:
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseConv(int rank, const char* class_name, const ConvOptions& options);

 private:
  int rank_;
  ConvOptions options_;
};

/// Convolution over time.
class Conv1D : public LayerBase<Conv1D, BaseConv> {
 public:
  Conv1D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  Conv1D(int64_t filters, const std::type_identity_t<S>& kernel_size, ConvOptions options = {})
      : Conv1D(by_position<&ConvOptions::filters, &ConvOptions::kernel_size>(
            "Conv1D", std::move(options), filters, kernel_size)) {}
  Conv1D(int64_t filters, ConvOptions options)
      : Conv1D(by_position<&ConvOptions::filters>("Conv1D", std::move(options), filters)) {}
  Conv1D(int64_t filters, const Sizes& kernel_size, int64_t strides, ConvOptions options = {})
      : Conv1D(by_position<&ConvOptions::filters, &ConvOptions::kernel_size, &ConvOptions::strides>(
            "Conv1D", std::move(options), filters, kernel_size, Sizes(strides))) {}
  explicit Conv1D(const ConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Conv1D, ConvOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv1D, ConvOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv1D, ConvOptions, int64_t, const Sizes&, int64_t)
};

/// Convolution over images.
class Conv2D : public LayerBase<Conv2D, BaseConv> {
 public:
  Conv2D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  Conv2D(int64_t filters, const std::type_identity_t<S>& kernel_size, ConvOptions options = {})
      : Conv2D(by_position<&ConvOptions::filters, &ConvOptions::kernel_size>(
            "Conv2D", std::move(options), filters, kernel_size)) {}
  Conv2D(int64_t filters, ConvOptions options)
      : Conv2D(by_position<&ConvOptions::filters>("Conv2D", std::move(options), filters)) {}
  Conv2D(int64_t filters, const Sizes& kernel_size, int64_t strides, ConvOptions options = {})
      : Conv2D(by_position<&ConvOptions::filters, &ConvOptions::kernel_size, &ConvOptions::strides>(
            "Conv2D", std::move(options), filters, kernel_size, Sizes(strides))) {}
  explicit Conv2D(const ConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Conv2D, ConvOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv2D, ConvOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv2D, ConvOptions, int64_t, const Sizes&, int64_t)
};

/// Convolution over volumes.
class Conv3D : public LayerBase<Conv3D, BaseConv> {
 public:
  Conv3D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  Conv3D(int64_t filters, const std::type_identity_t<S>& kernel_size, ConvOptions options = {})
      : Conv3D(by_position<&ConvOptions::filters, &ConvOptions::kernel_size>(
            "Conv3D", std::move(options), filters, kernel_size)) {}
  Conv3D(int64_t filters, ConvOptions options)
      : Conv3D(by_position<&ConvOptions::filters>("Conv3D", std::move(options), filters)) {}
  Conv3D(int64_t filters, const Sizes& kernel_size, int64_t strides, ConvOptions options = {})
      : Conv3D(by_position<&ConvOptions::filters, &ConvOptions::kernel_size, &ConvOptions::strides>(
            "Conv3D", std::move(options), filters, kernel_size, Sizes(strides))) {}
  explicit Conv3D(const ConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Conv3D, ConvOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv3D, ConvOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv3D, ConvOptions, int64_t, const Sizes&, int64_t)
};

/// Options of Conv1DTranspose, Conv2DTranspose and Conv3DTranspose.
struct ConvTransposeOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t filters = 0;            ///< channels of the output
  Sizes kernel_size = {};         ///< one number, or one per dimension
  Sizes strides = {};             ///< not given: 1
  std::string padding = "valid";  ///< or "same"
  Sizes output_padding = {};      ///< less than `strides`; not given: see BaseConvTranspose
  std::string data_format = "channels_last";  ///< or "channels_first"
  Sizes dilation_rate = {};                   ///< not given: 1
  ActivationFunction activation = {};         ///< of the output; {}: none
  bool use_bias = true;                       ///< whether to add a bias
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Base of the transposed convolutions: the gradient of a convolution with respect to its input.
/// With n elements along a dimension, k = (kernel_size - 1) * dilation_rate + 1, stride s and
/// output padding p, the size of the output is
///     "valid":  n * s + max(k - s, 0);  with p: (n - 1) * s + k + p
///     "same":   n * s;                  with p: (n - 1) * s + k % 2 + p
/// Weights: kernel [size..., filters, in], bias [filters].
class BaseConvTranspose : public Layer {
 public:
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseConvTranspose(int rank, const char* class_name, const ConvTransposeOptions& options);

 private:
  int rank_;
  ConvTransposeOptions options_;
  Variable kernel_;
  Variable bias_;
};

/// Transposed convolution over time.
class Conv1DTranspose : public LayerBase<Conv1DTranspose, BaseConvTranspose> {
 public:
  Conv1DTranspose();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  Conv1DTranspose(int64_t filters, const std::type_identity_t<S>& kernel_size,
                  ConvTransposeOptions options = {})
      : Conv1DTranspose(
            by_position<&ConvTransposeOptions::filters, &ConvTransposeOptions::kernel_size>(
                "Conv1DTranspose", std::move(options), filters, kernel_size)) {}
  Conv1DTranspose(int64_t filters, ConvTransposeOptions options)
      : Conv1DTranspose(by_position<&ConvTransposeOptions::filters>("Conv1DTranspose",
                                                                    std::move(options), filters)) {}
  Conv1DTranspose(int64_t filters, const Sizes& kernel_size, int64_t strides,
                  ConvTransposeOptions options = {})
      : Conv1DTranspose(
            by_position<&ConvTransposeOptions::filters, &ConvTransposeOptions::kernel_size,
                        &ConvTransposeOptions::strides>("Conv1DTranspose", std::move(options),
                                                        filters, kernel_size, Sizes(strides))) {}
  explicit Conv1DTranspose(const ConvTransposeOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Conv1DTranspose, ConvTransposeOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv1DTranspose, ConvTransposeOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv1DTranspose, ConvTransposeOptions, int64_t, const Sizes&, int64_t)
};
/// Transposed convolution over images.
class Conv2DTranspose : public LayerBase<Conv2DTranspose, BaseConvTranspose> {
 public:
  Conv2DTranspose();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  Conv2DTranspose(int64_t filters, const std::type_identity_t<S>& kernel_size,
                  ConvTransposeOptions options = {})
      : Conv2DTranspose(
            by_position<&ConvTransposeOptions::filters, &ConvTransposeOptions::kernel_size>(
                "Conv2DTranspose", std::move(options), filters, kernel_size)) {}
  Conv2DTranspose(int64_t filters, ConvTransposeOptions options)
      : Conv2DTranspose(by_position<&ConvTransposeOptions::filters>("Conv2DTranspose",
                                                                    std::move(options), filters)) {}
  Conv2DTranspose(int64_t filters, const Sizes& kernel_size, int64_t strides,
                  ConvTransposeOptions options = {})
      : Conv2DTranspose(
            by_position<&ConvTransposeOptions::filters, &ConvTransposeOptions::kernel_size,
                        &ConvTransposeOptions::strides>("Conv2DTranspose", std::move(options),
                                                        filters, kernel_size, Sizes(strides))) {}
  explicit Conv2DTranspose(const ConvTransposeOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Conv2DTranspose, ConvTransposeOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv2DTranspose, ConvTransposeOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv2DTranspose, ConvTransposeOptions, int64_t, const Sizes&, int64_t)
};
/// Transposed convolution over volumes.
class Conv3DTranspose : public LayerBase<Conv3DTranspose, BaseConvTranspose> {
 public:
  Conv3DTranspose();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  Conv3DTranspose(int64_t filters, const std::type_identity_t<S>& kernel_size,
                  ConvTransposeOptions options = {})
      : Conv3DTranspose(
            by_position<&ConvTransposeOptions::filters, &ConvTransposeOptions::kernel_size>(
                "Conv3DTranspose", std::move(options), filters, kernel_size)) {}
  Conv3DTranspose(int64_t filters, ConvTransposeOptions options)
      : Conv3DTranspose(by_position<&ConvTransposeOptions::filters>("Conv3DTranspose",
                                                                    std::move(options), filters)) {}
  Conv3DTranspose(int64_t filters, const Sizes& kernel_size, int64_t strides,
                  ConvTransposeOptions options = {})
      : Conv3DTranspose(
            by_position<&ConvTransposeOptions::filters, &ConvTransposeOptions::kernel_size,
                        &ConvTransposeOptions::strides>("Conv3DTranspose", std::move(options),
                                                        filters, kernel_size, Sizes(strides))) {}
  explicit Conv3DTranspose(const ConvTransposeOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Conv3DTranspose, ConvTransposeOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv3DTranspose, ConvTransposeOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(Conv3DTranspose, ConvTransposeOptions, int64_t, const Sizes&, int64_t)
};

/// Options of DepthwiseConv1D and DepthwiseConv2D.
struct DepthwiseConvOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Sizes kernel_size = {};                     ///< one number, or one per dimension
  Sizes strides = {};                         ///< not given: 1
  std::string padding = "valid";              ///< or "same"
  int64_t depth_multiplier = 1;               ///< outputs per channel
  std::string data_format = "channels_last";  ///< or "channels_first"
  Sizes dilation_rate = {};                   ///< not given: 1
  ActivationFunction activation = {};         ///< of the output; {}: none
  bool use_bias = true;                       ///< whether to add a bias
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {};
  Constraint bias_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Base of the depthwise convolutions: each channel is convolved separately. [batch,
/// spatial..., in] -> [batch, spatial'..., in * depth_multiplier]. Weights: kernel [size..., in,
/// depth_multiplier], bias [in * depth_multiplier].
class BaseDepthwiseConv : public Layer {
 public:
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseDepthwiseConv(int rank, const char* class_name, const DepthwiseConvOptions& options);

 private:
  int rank_;
  DepthwiseConvOptions options_;
  Variable kernel_;
  Variable bias_;
};

/// Convolves each channel separately, over time.
class DepthwiseConv1D : public LayerBase<DepthwiseConv1D, BaseDepthwiseConv> {
 public:
  DepthwiseConv1D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  explicit DepthwiseConv1D(const std::type_identity_t<S>& kernel_size,
                           DepthwiseConvOptions options = {})
      : DepthwiseConv1D(by_position<&DepthwiseConvOptions::kernel_size>(
            "DepthwiseConv1D", std::move(options), kernel_size)) {}
  explicit DepthwiseConv1D(const DepthwiseConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(DepthwiseConv1D, DepthwiseConvOptions, Sizes)
};
/// Convolves each channel separately, over images.
class DepthwiseConv2D : public LayerBase<DepthwiseConv2D, BaseDepthwiseConv> {
 public:
  DepthwiseConv2D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  explicit DepthwiseConv2D(const std::type_identity_t<S>& kernel_size,
                           DepthwiseConvOptions options = {})
      : DepthwiseConv2D(by_position<&DepthwiseConvOptions::kernel_size>(
            "DepthwiseConv2D", std::move(options), kernel_size)) {}
  explicit DepthwiseConv2D(const DepthwiseConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(DepthwiseConv2D, DepthwiseConvOptions, Sizes)
};

/// Options of SeparableConv1D and SeparableConv2D.
struct SeparableConvOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t filters = 0;                        ///< channels of the output
  Sizes kernel_size = {};                     ///< one number, or one per dimension
  Sizes strides = {};                         ///< not given: 1
  std::string padding = "valid";              ///< or "same"
  std::string data_format = "channels_last";  ///< or "channels_first"
  Sizes dilation_rate = {};                   ///< not given: 1
  int64_t depth_multiplier = 1;               ///< outputs per channel of the depthwise step
  ActivationFunction activation = {};         ///< of the output; {}: none
  bool use_bias = true;                       ///< whether to add a bias
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer pointwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer pointwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {};
  Constraint pointwise_constraint = {};
  Constraint bias_constraint = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Base of the separable convolutions: a depthwise convolution, then one of size 1 that mixes the
/// channels. Weights: depthwise_kernel [size..., in, depth_multiplier], pointwise_kernel
/// [1..., in * depth_multiplier, filters], bias [filters].
class BaseSeparableConv : public Layer {
 public:
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseSeparableConv(int rank, const char* class_name, const SeparableConvOptions& options);

 private:
  int rank_;
  SeparableConvOptions options_;
  Variable depthwise_kernel_;
  Variable pointwise_kernel_;
  Variable bias_;
};

/// A convolution of each channel, then one that mixes channels, over time.
class SeparableConv1D : public LayerBase<SeparableConv1D, BaseSeparableConv> {
 public:
  SeparableConv1D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  SeparableConv1D(int64_t filters, const std::type_identity_t<S>& kernel_size,
                  SeparableConvOptions options = {})
      : SeparableConv1D(
            by_position<&SeparableConvOptions::filters, &SeparableConvOptions::kernel_size>(
                "SeparableConv1D", std::move(options), filters, kernel_size)) {}
  SeparableConv1D(int64_t filters, SeparableConvOptions options)
      : SeparableConv1D(by_position<&SeparableConvOptions::filters>("SeparableConv1D",
                                                                    std::move(options), filters)) {}
  SeparableConv1D(int64_t filters, const Sizes& kernel_size, int64_t strides,
                  SeparableConvOptions options = {})
      : SeparableConv1D(
            by_position<&SeparableConvOptions::filters, &SeparableConvOptions::kernel_size,
                        &SeparableConvOptions::strides>("SeparableConv1D", std::move(options),
                                                        filters, kernel_size, Sizes(strides))) {}
  explicit SeparableConv1D(const SeparableConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SeparableConv1D, SeparableConvOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(SeparableConv1D, SeparableConvOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(SeparableConv1D, SeparableConvOptions, int64_t, const Sizes&, int64_t)
};
/// A convolution of each channel, then one that mixes channels, over images.
class SeparableConv2D : public LayerBase<SeparableConv2D, BaseSeparableConv> {
 public:
  SeparableConv2D();  ///< assigned later
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  SeparableConv2D(int64_t filters, const std::type_identity_t<S>& kernel_size,
                  SeparableConvOptions options = {})
      : SeparableConv2D(
            by_position<&SeparableConvOptions::filters, &SeparableConvOptions::kernel_size>(
                "SeparableConv2D", std::move(options), filters, kernel_size)) {}
  SeparableConv2D(int64_t filters, SeparableConvOptions options)
      : SeparableConv2D(by_position<&SeparableConvOptions::filters>("SeparableConv2D",
                                                                    std::move(options), filters)) {}
  SeparableConv2D(int64_t filters, const Sizes& kernel_size, int64_t strides,
                  SeparableConvOptions options = {})
      : SeparableConv2D(
            by_position<&SeparableConvOptions::filters, &SeparableConvOptions::kernel_size,
                        &SeparableConvOptions::strides>("SeparableConv2D", std::move(options),
                                                        filters, kernel_size, Sizes(strides))) {}
  explicit SeparableConv2D(const SeparableConvOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(SeparableConv2D, SeparableConvOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(SeparableConv2D, SeparableConvOptions, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR(SeparableConv2D, SeparableConvOptions, int64_t, const Sizes&, int64_t)
};

}  // namespace antler
