#pragma once

#include <functional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"
#include "antler/nn/quantization_config.h"

namespace antler {

/// Selects the layers that quantize() quantizes.
struct QuantizeOptions {
  /// Regular expressions (ECMAScript). A layer is selected if one of them is found in its name.
  /// Empty: all layers.
  std::vector<std::string> filters = {};
  /// If given, it is used instead of `filters`.
  std::function<bool(const Layer& layer)> filter = {};
};

/// Keras's Model.quantize(). Quantizes in place every built layer inside `model` that has no
/// sublayers and supports the mode. Other layers are unchanged, with a warning if they have
/// weights. `config` is a mode, "int8", "int4" (in blocks of 128) or "float8", or a quantization
/// config. Returns the number of quantized layers. A model that was compiled or called before must
/// be compiled again.
///
/// With a GPTQConfig or AWQConfig, quantizes the Dense and EinsumDense layers in the model's
/// blocks, using the inputs that they get for the config's data. (Keras 3.15 ignores the inputs, so
/// all have equal weight there, and it leaves layers outside of the blocks with uninitialized
/// weights.)
///
/// Throws ValueError for an unknown mode, a filter that is not a regular expression, and a layer
/// that is not built or is already quantized; for GPTQ and AWQ also for missing data, tokenizer or
/// blocks. Nothing is changed then.
int64_t quantize(const Layer& model, const QuantizationConfig& config,
                 const QuantizeOptions& options = {});
int64_t quantize(const Layer& model, const std::string& mode, const QuantizeOptions& options = {});

}  // namespace antler
