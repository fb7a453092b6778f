#pragma once

#include <functional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"
#include "antler/nn/quantization_config.h"

namespace antler {

/// Which layers quantize() takes.
struct QuantizeOptions {
  /// Regular expressions (ECMAScript); a layer is taken when one of them is found in its name.
  /// Empty: all are.
  std::vector<std::string> filters = {};
  /// Given: decides instead of `filters`.
  std::function<bool(const Layer& layer)> filter = {};
};

/// Keras's Model.quantize(): quantizes each built layer inside `model` that has no layers of its
/// own and can be quantized this way, in place; others are left as they are, with a warning where
/// they have weights. `config` is a mode, "int8", "int4" (in blocks of 128) or "float8", or one of
/// the quantization configs. Returns how many were quantized. A model that was compiled or called
/// before has to be compiled anew. With a GPTQConfig or AWQConfig: Dense and EinsumDense layers
/// inside of the model's blocks, by what their inputs are for the config's data. (Keras 3.15 takes
/// those data but looks at no inputs, so that all count alike there; and it gives layers outside of
/// the blocks weights without values.) Throws ValueError for an unknown mode, for a filter that is
/// not a regular expression, and for a layer that is not built or is quantized already; then
/// nothing has changed. For GPTQ and AWQ also for data, a tokenizer or blocks that are missing.
int64_t quantize(const Layer& model, const QuantizationConfig& config,
                 const QuantizeOptions& options = {});
int64_t quantize(const Layer& model, const std::string& mode, const QuantizeOptions& options = {});

}  // namespace antler
