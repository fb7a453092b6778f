#include "antler/nn/quantization_config.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "nn/config_fields.h"
#include "nn/quantizers/calibration_fields.h"

namespace antler {
namespace {

constexpr char kInt8[] = "Int8QuantizationConfig";
constexpr char kInt4[] = "Int4QuantizationConfig";
constexpr char kFloat8[] = "Float8QuantizationConfig";
constexpr char kGptq[] = "GPTQConfig";
constexpr char kAwq[] = "AWQConfig";

QuantizationConfig defaults(const std::string& mode) {
  if (mode == "int8") return Int8QuantizationConfig();
  if (mode == "int4") return Int4QuantizationConfig();
  if (mode == "float8") return Float8QuantizationConfig();
  if (mode == "gptq" || mode == "awq") {
    const bool is_gptq = mode == "gptq";
    throw ValueError("For {}, you must pass {} object in the `config` argument.",
                     is_gptq ? "GPTQ" : "AWQ", is_gptq ? "a `GPTQConfig`" : "an `AWQConfig`");
  }
  throw ValueError(
      "Invalid quantization mode. Expected one of ('int8', 'float8', 'int4', 'gptq', 'awq'). "
      "Received: mode={}",
      mode);
}

void check_dtype(const std::optional<AbsMaxQuantizer>& weights, const char* config) {
  if (!weights || weights->output_dtype == DType::int8) return;
  throw ValueError(
      "{} requires a weight_quantizer with output_dtype='int8'. Received: output_dtype={}", config,
      dtype_name(weights->output_dtype));
}

Json quantizer_json(const std::optional<AbsMaxQuantizer>& quantizer) {
  return quantizer ? quantizer->serialize() : Json();
}

std::optional<AbsMaxQuantizer> quantizer_of(const Json& config, const char* key) {
  if (!config.contains(key) || config[key].is_null()) return {};
  return AbsMaxQuantizer::deserialize(config[key]);
}

}  // namespace

QuantizationConfig::QuantizationConfig(const std::string& mode)
    : QuantizationConfig(defaults(mode)) {}

QuantizationConfig::QuantizationConfig(const Int8QuantizationConfig& config)
    : mode("int8"),
      weight_quantizer(config.weight_quantizer),
      activation_quantizer(config.activation_quantizer) {
  check_dtype(weight_quantizer, kInt8);
}

QuantizationConfig::QuantizationConfig(const Int4QuantizationConfig& config)
    : mode("int4"),
      weight_quantizer(config.weight_quantizer),
      activation_quantizer(config.activation_quantizer),
      block_size(config.block_size) {
  if (grouped() && *block_size < 1) {
    throw ValueError("block_size must be None, -1, or a positive integer. Received: block_size={}",
                     *block_size);
  }
  if (grouped() && (weight_quantizer || activation_quantizer)) {
    throw ValueError(
        "Int4 sub-channel quantization (block_size > 0) does not support custom quantizers. Either "
        "set block_size to None or -1 for per-channel quantization, or remove the custom quantizer "
        "arguments. Received: block_size={}",
        *block_size);
  }
  if (weight_quantizer && weight_quantizer->value_range != QuantizedRange(-8, 7)) {
    throw ValueError(
        "Int4QuantizationConfig requires a weight_quantizer with value_range=(-8, 7). Received: "
        "value_range=({}, {})",
        weight_quantizer->value_range.first, weight_quantizer->value_range.second);
  }
  check_dtype(weight_quantizer, kInt4);
}

QuantizationConfig::QuantizationConfig(const Float8QuantizationConfig&) : mode("float8") {}

std::string QuantizationConfig::policy_mode() const {
  const auto in_groups = [&](const auto& of) {
    return format("{}/{}/{}", mode, of.weight_bits, of.group_size);
  };
  if (gptq != nullptr) return in_groups(*gptq);
  if (awq != nullptr) return in_groups(*awq);
  return mode == "int4" ? format("int4/{}", block_size.value_or(-1)) : mode;
}

Json QuantizationConfig::serialize() const {
  if (gptq != nullptr) return keras_object("keras.quantizers", kGptq, config::write(*gptq));
  if (awq != nullptr) return keras_object("keras.quantizers", kAwq, config::write(*awq));
  Json config = Json::object();
  if (mode == "float8") return keras_object("keras.quantizers", kFloat8, std::move(config));
  config["weight_quantizer"] = quantizer_json(weight_quantizer);
  config["activation_quantizer"] = quantizer_json(activation_quantizer);
  if (mode == "int8") return keras_object("keras.quantizers", kInt8, std::move(config));
  config["block_size"] = block_size ? Json(*block_size) : Json();
  return keras_object("keras.quantizers", kInt4, std::move(config));
}

QuantizationConfig QuantizationConfig::deserialize(const Json& json) {
  const std::string name = config::class_name_of(json, "quantization config");
  const Json given = config::config_of(json);
  if (name == kFloat8) return Float8QuantizationConfig();
  if (name == kGptq) return config::read<GPTQConfig>(given);
  if (name == kAwq) return config::read<AWQConfig>(given);
  const std::optional<AbsMaxQuantizer> weights = quantizer_of(given, "weight_quantizer");
  const std::optional<AbsMaxQuantizer> activations = quantizer_of(given, "activation_quantizer");
  if (name == kInt8) {
    return Int8QuantizationConfig{.weight_quantizer = weights, .activation_quantizer = activations};
  }
  if (name == kInt4) {
    // Files from older versions have no block size.
    std::optional<int64_t> block_size;
    if (given.contains("block_size")) read_field(given["block_size"], block_size);
    return Int4QuantizationConfig{
        .weight_quantizer = weights, .activation_quantizer = activations, .block_size = block_size};
  }
  throw ValueError("Could not interpret quantization config: {}", json.dump());
}

}  // namespace antler
