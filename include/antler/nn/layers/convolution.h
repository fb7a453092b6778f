#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/nn/activation.h"
#include "antler/nn/layer.h"
#include "antler/nn/sizes.h"

namespace antler {

/// Options of Conv1D, Conv2D and Conv3D.
struct ConvOptions {
  int64_t filters = 0;  ///< channels of the output
  Sizes kernel_size = {};
  Sizes strides = {};                         ///< not given: 1
  std::string padding = "valid";              ///< or "same"; Conv1D also "causal"
  std::string data_format = "channels_last";  ///< or "channels_first"
  Sizes dilation_rate = {};                   ///< not given: 1
  int64_t groups = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// What Conv1D, Conv2D and Conv3D share: activation(conv(x, kernel) + bias). [batch, spatial...,
/// in] -> [batch, spatial'..., filters] (channels first: [batch, in, spatial...]). Weights: kernel
/// [size..., in / groups, filters], bias [filters].
class BaseConv : public Layer {
 public:
  void build(const Shape& input_shape) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseConv(int rank, const char* class_name, const ConvOptions& options);

 private:
  int rank_;
  ConvOptions options_;
  Variable kernel_;
  Variable bias_;
};

/// Convolution over time.
class Conv1D : public LayerBase<Conv1D, BaseConv> {
 public:
  Conv1D(int64_t filters, const Sizes& kernel_size, ConvOptions options = {});
  explicit Conv1D(const ConvOptions& options);
};

/// Convolution over images.
class Conv2D : public LayerBase<Conv2D, BaseConv> {
 public:
  Conv2D(int64_t filters, const Sizes& kernel_size, ConvOptions options = {});
  explicit Conv2D(const ConvOptions& options);
};

/// Convolution over volumes.
class Conv3D : public LayerBase<Conv3D, BaseConv> {
 public:
  Conv3D(int64_t filters, const Sizes& kernel_size, ConvOptions options = {});
  explicit Conv3D(const ConvOptions& options);
};

}  // namespace antler
