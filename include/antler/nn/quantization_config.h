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

/// Weights in 8 bits; inputs too, unless `activation_quantizer` is nullopt.
struct Int8QuantizationConfig {
  std::optional<AbsMaxQuantizer> weight_quantizer = {};  ///< not given: the layer's own
  /// Quantizes the inputs; nullopt: they are not quantized.
  std::optional<AbsMaxQuantizer> activation_quantizer = AbsMaxQuantizer();
};

/// Weights in 4 bits, two per byte. Inputs are quantized only if there is a quantizer for them.
struct Int4QuantizationConfig {
  std::optional<AbsMaxQuantizer> weight_quantizer = {};      ///< with the range -8..7
  std::optional<AbsMaxQuantizer> activation_quantizer = {};  ///< for the inputs
  /// Number of inputs that share a scale and a zero point. Not given or -1: one scale for all, and
  /// no zero point.
  std::optional<int64_t> block_size = 128;
};

/// Training with products of 8-bit floating-point numbers. Their scales follow the largest
/// magnitudes.
struct Float8QuantizationConfig {};

/// Any of the configurations above, or a GPTQConfig or AWQConfig. The argument of quantize().
struct QuantizationConfig {
  std::string mode;  ///< "int8", "int4", "float8", "gptq" or "awq"
  /// As in the mode's own configuration.
  std::optional<AbsMaxQuantizer> weight_quantizer = {};
  /// As in the mode's own configuration.
  std::optional<AbsMaxQuantizer> activation_quantizer = {};
  std::optional<int64_t> block_size = {};       ///< as in Int4QuantizationConfig
  std::shared_ptr<const GPTQConfig> gptq = {};  ///< for the mode "gptq"
  std::shared_ptr<const AWQConfig> awq = {};    ///< for the mode "awq"

  // NOLINTBEGIN(google-explicit-constructor): a mode is a config
  /// The default configuration of a mode. Throws ValueError for an unknown mode, and for "gptq" and
  /// "awq", which need data.
  QuantizationConfig(const std::string& mode);
  /// Throw ValueError for a weight quantizer with the wrong range or dtype, for a block size below
  /// 1 other than -1, and for a block size together with quantizers.
  QuantizationConfig(const Int8QuantizationConfig& config);
  QuantizationConfig(const Int4QuantizationConfig& config);
  QuantizationConfig(const Float8QuantizationConfig& config);
  /// Throw ValueError for fields out of range.
  QuantizationConfig(const GPTQConfig& config);
  QuantizationConfig(const AWQConfig& config);
  // NOLINTEND(google-explicit-constructor)

  /// Whether each group of inputs has its own scale.
  bool grouped() const { return block_size.value_or(-1) != -1; }
  /// Whether it needs statistics of the inputs.
  bool needs_inputs() const { return gptq != nullptr || awq != nullptr; }
  /// Its name in a dtype policy: "int8", "int4/128", "gptq/4/128".
  std::string policy_mode() const;
  /// Keras's {"module", "class_name", "config", "registered_name"}, without data, tokenizer and
  /// blocks.
  Json serialize() const;
  /// From that form. Throws ValueError for other classes.
  static QuantizationConfig deserialize(const Json& json);
};

}  // namespace antler
