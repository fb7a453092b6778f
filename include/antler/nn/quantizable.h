#pragma once

#include <string>

#include "antler/nn/quantization_config.h"

namespace antler {

/// A layer with quantized forms: a second base of its class, which antler::quantize() looks for.
class Quantizable {
 public:
  virtual ~Quantizable() = default;

  /// Whether quantize() knows this mode.
  virtual bool can_quantize(const std::string& mode) const = 0;
  /// Replaces the weights by quantized ones. "gptq" and "awq" go by the inputs that the model's
  /// quantize() has seen; of a layer alone, all inputs count alike. Throws NotImplementedError
  /// where can_quantize() says no, ValueError when the layer is not built or quantized already.
  virtual void quantize(const QuantizationConfig& config) = 0;

 protected:
  Quantizable() = default;
  Quantizable(const Quantizable&) = default;
  Quantizable& operator=(const Quantizable&) = default;
};

}  // namespace antler
