#pragma once

#include <string>

#include "antler/nn/quantization_config.h"

namespace antler {

/// Interface of layers that have quantized forms, implemented beside Layer. antler::quantize()
/// looks for it.
class Quantizable {
 public:
  virtual ~Quantizable() = default;

  /// Whether quantize() supports this mode.
  virtual bool can_quantize(const std::string& mode) const = 0;
  /// Replaces the weights by quantized ones. "gptq" and "awq" use the statistics of the inputs that
  /// antler::quantize() has collected; without them, all inputs have equal weight. Throws
  /// NotImplementedError for a mode that is not supported, and ValueError if the layer is not built
  /// or is already quantized.
  virtual void quantize(const QuantizationConfig& config) = 0;

 protected:
  Quantizable() = default;
  Quantizable(const Quantizable&) = default;
  Quantizable& operator=(const Quantizable&) = default;
};

}  // namespace antler
