#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/base/json.h"
#include "antler/nn/quantizers.h"

namespace antler {

struct GPTQConfig;
struct AWQConfig;

/// Weights in 8 bits; inputs too, unless `activation_quantizer` is taken away.
struct Int8QuantizationConfig {
  std::optional<AbsMaxQuantizer> weight_quantizer = {};  ///< not given: the layer's own
  /// Of the inputs; not given (nullopt): they stay as they are.
  std::optional<AbsMaxQuantizer> activation_quantizer = AbsMaxQuantizer();
};

/// Weights in 4 bits, two in a byte; inputs stay as they are, unless there is a quantizer.
struct Int4QuantizationConfig {
  std::optional<AbsMaxQuantizer> weight_quantizer = {};      ///< of the range -8..7
  std::optional<AbsMaxQuantizer> activation_quantizer = {};  ///< of the inputs
  /// Inputs that share a scale and a zero point; not given or -1: one scale for all, no zero point.
  std::optional<int64_t> block_size = 128;
};

/// Training with products of numbers of 8 bits, whose scales follow the largest magnitudes.
struct Float8QuantizationConfig {};

/// Any of them, or a GPTQConfig or AWQConfig, as Layer::quantize() takes it.
struct QuantizationConfig {
  std::string mode;  ///< "int8", "int4", "float8", "gptq" or "awq"
  /// As in the configuration of the mode.
  std::optional<AbsMaxQuantizer> weight_quantizer = {};
  /// As in the configuration of the mode.
  std::optional<AbsMaxQuantizer> activation_quantizer = {};
  std::optional<int64_t> block_size = {};       ///< as in Int4QuantizationConfig
  std::shared_ptr<const GPTQConfig> gptq = {};  ///< of that mode
  std::shared_ptr<const AWQConfig> awq = {};    ///< of that mode

  // NOLINTBEGIN(google-explicit-constructor): a mode is a config
  /// The defaults of a mode. Throws ValueError for an unknown one, and for "gptq" and "awq", which
  /// need data.
  QuantizationConfig(const std::string& mode);
  /// Throw ValueError for a weight quantizer with another range or dtype, for a block size below 1
  /// (but -1), and for a block size together with quantizers.
  QuantizationConfig(const Int8QuantizationConfig& config);
  QuantizationConfig(const Int4QuantizationConfig& config);
  QuantizationConfig(const Float8QuantizationConfig& config);
  /// Throw ValueError for numbers that the fields do not allow.
  QuantizationConfig(const GPTQConfig& config);
  QuantizationConfig(const AWQConfig& config);
  // NOLINTEND(google-explicit-constructor)

  /// Whether groups of inputs have scales of their own.
  bool grouped() const { return block_size.value_or(-1) != -1; }
  /// Whether it needs statistics of the inputs.
  bool needs_inputs() const { return gptq != nullptr || awq != nullptr; }
  /// How a dtype policy names it: "int8", "int4/128", "gptq/4/128".
  std::string policy_mode() const;
  /// Keras's {"module", "class_name", "config", "registered_name"}; without data, tokenizer and
  /// blocks.
  Json serialize() const;
  /// From that form. Throws ValueError for other classes.
  static QuantizationConfig deserialize(const Json& json);
};

}  // namespace antler
