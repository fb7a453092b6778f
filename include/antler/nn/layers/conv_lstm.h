#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/activation.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layer.h"
#include "antler/nn/layers/recurrent.h"
#include "antler/nn/sizes.h"

namespace antler {

/// Options of ConvLSTM1D, ConvLSTM2D and ConvLSTM3D: those of the cell and of the loop.
struct ConvLSTMOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t filters = 0;                        ///< channels of the states
  Sizes kernel_size = {};                     ///< one number, or one per dimension
  Sizes strides = {};                         ///< of the input's convolution; not given: 1
  std::string padding = "valid";              ///< or "same"; of the input's convolution
  std::string data_format = "channels_last";  ///< or "channels_first"
  Sizes dilation_rate = {};                   ///< of the input's convolution; not given: 1
  ActivationFunction activation = "tanh";     ///< of the candidate state
  ActivationFunction recurrent_activation = "sigmoid";  ///< of the gates
  bool use_bias = true;                                 ///< whether to add biases
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  ///< the bias of the forget gate starts at 1
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0;            ///< rate for the inputs
  double recurrent_dropout = 0;  ///< rate for the states
  std::optional<int64_t> seed = {};
  bool return_sequences = false;  ///< return the outputs of all steps
  bool return_state = false;      ///< also return the last states
  bool go_backwards = false;      ///< process the steps in reverse order
  bool stateful = false;          ///< start from the last states of the previous call
  bool unroll = false;            ///< unroll the loop
  /// The output of masked steps: zeros, or else the output of the previous step.
  bool zero_output_for_mask = false;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
};

/// Base of the layers below: an LSTM with convolutions as its products (Shi et al. 2015).
/// [batch, time, spatial..., in] -> [batch, spatial'..., filters] (channels first:
/// [batch, time, in, spatial...]). Weights: kernel [size..., in, 4 filters], recurrent_kernel
/// [size..., filters, 4 filters], bias [4 filters].
class BaseConvLSTM : public RNN {
 public:
  Json get_config() const override;

 protected:
  /// Throws ValueError for options that do not fit together.
  BaseConvLSTM(int rank, const char* class_name, const ConvLSTMOptions& options);

 private:
  ConvLSTMOptions options_;
};

/// Over sequences of rows.
class ConvLSTM1D : public LayerBase<ConvLSTM1D, BaseConvLSTM> {
 public:
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  ConvLSTM1D(int64_t filters, const std::type_identity_t<S>& kernel_size,
             ConvLSTMOptions options = {})
      : ConvLSTM1D(by_position<&ConvLSTMOptions::filters, &ConvLSTMOptions::kernel_size>(
            "ConvLSTM1D", std::move(options), filters, kernel_size)) {}
  ConvLSTM1D(int64_t filters, ConvLSTMOptions options)
      : ConvLSTM1D(
            by_position<&ConvLSTMOptions::filters>("ConvLSTM1D", std::move(options), filters)) {}
  explicit ConvLSTM1D(const ConvLSTMOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(ConvLSTM1D, ConvLSTMOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(ConvLSTM1D, ConvLSTMOptions, int64_t)
};

/// Over sequences of images.
class ConvLSTM2D : public LayerBase<ConvLSTM2D, BaseConvLSTM> {
 public:
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  ConvLSTM2D(int64_t filters, const std::type_identity_t<S>& kernel_size,
             ConvLSTMOptions options = {})
      : ConvLSTM2D(by_position<&ConvLSTMOptions::filters, &ConvLSTMOptions::kernel_size>(
            "ConvLSTM2D", std::move(options), filters, kernel_size)) {}
  ConvLSTM2D(int64_t filters, ConvLSTMOptions options)
      : ConvLSTM2D(
            by_position<&ConvLSTMOptions::filters>("ConvLSTM2D", std::move(options), filters)) {}
  explicit ConvLSTM2D(const ConvLSTMOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(ConvLSTM2D, ConvLSTMOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(ConvLSTM2D, ConvLSTMOptions, int64_t)
};

/// Over sequences of volumes.
class ConvLSTM3D : public LayerBase<ConvLSTM3D, BaseConvLSTM> {
 public:
  // A template, because g++ would also convert options in braces to sizes.
  template <class S = Sizes>
  ConvLSTM3D(int64_t filters, const std::type_identity_t<S>& kernel_size,
             ConvLSTMOptions options = {})
      : ConvLSTM3D(by_position<&ConvLSTMOptions::filters, &ConvLSTMOptions::kernel_size>(
            "ConvLSTM3D", std::move(options), filters, kernel_size)) {}
  ConvLSTM3D(int64_t filters, ConvLSTMOptions options)
      : ConvLSTM3D(
            by_position<&ConvLSTMOptions::filters>("ConvLSTM3D", std::move(options), filters)) {}
  explicit ConvLSTM3D(const ConvLSTMOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(ConvLSTM3D, ConvLSTMOptions, int64_t, Sizes)
  ANTLER_KEYWORD_CONSTRUCTOR(ConvLSTM3D, ConvLSTMOptions, int64_t)
};

}  // namespace antler
