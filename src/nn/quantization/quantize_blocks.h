#pragma once

#include <cstdint>
#include <functional>

#include "antler/nn/layer.h"
#include "antler/nn/quantization_config.h"

namespace antler {

/// quantize() for "gptq" and "awq": runs data through the blocks of `model`, one after another, and
/// quantizes the `wanted` layers using statistics of their inputs. Returns the number of quantized
/// layers.
int64_t quantize_blocks(const Layer& model, const QuantizationConfig& config,
                        const std::function<bool(const Layer&)>& wanted);

}  // namespace antler
