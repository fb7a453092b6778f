#include "antler/nn/calibration_config.h"

#include <array>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/quantization_config.h"
#include "nn/config_fields.h"
#include "nn/quantizers/calibration_fields.h"

namespace antler {
namespace {

void check_calibration_sizes(int64_t num_samples, int64_t sequence_length) {
  if (num_samples <= 0) throw ValueError("num_samples must be a positive integer.");
  if (sequence_length <= 0) throw ValueError("sequence_length must be a positive integer.");
}

void check_group_size(int64_t group_size, const char* minus_one) {
  if (group_size == -1 || group_size > 0) return;
  throw ValueError(
      "Invalid group_size. Supported values are -1 ({}) or a positive integer, but got {}.",
      minus_one, group_size);
}

}  // namespace

std::optional<QuantizationLayerStructure> HasQuantizationBlocks::get_quantization_layer_structure(
    const std::string&) const {
  return {};
}

QuantizationConfig::QuantizationConfig(const GPTQConfig& config)
    : mode("gptq"), gptq(std::make_shared<GPTQConfig>(config)) {
  constexpr std::array<int64_t, 4> kBits = {2, 3, 4, 8};
  if (std::ranges::find(kBits, config.weight_bits) == kBits.end()) {
    throw ValueError("Unsupported weight_bits {}. Supported values are 2, 3, 4, and 8.",
                     config.weight_bits);
  }
  check_calibration_sizes(config.num_samples, config.sequence_length);
  if (config.hessian_damping < 0 || config.hessian_damping > 1) {
    throw ValueError("hessian_damping must be between 0 and 1.");
  }
  check_group_size(config.group_size, "whole-tensor");
}

QuantizationConfig::QuantizationConfig(const AWQConfig& config)
    : mode("awq"), awq(std::make_shared<AWQConfig>(config)) {
  if (config.weight_bits != 4) {
    throw ValueError("AWQ only supports 4-bit quantization. Received weight_bits={}.",
                     config.weight_bits);
  }
  check_calibration_sizes(config.num_samples, config.sequence_length);
  check_group_size(config.group_size, "per-channel");
  if (config.num_grid_points <= 0) {
    throw ValueError("num_grid_points must be a positive integer.");
  }
}

}  // namespace antler
