#pragma once

#include <optional>

#include "antler/nn/initializer.h"
#include "antler/nn/layer.h"

/// What cells with gates share. The columns of their kernels are blocks of equal width, one for
/// each gate.
namespace antler {

/// Dropout of a cell in one sequence. Masks are drawn once and serve all steps.
class GateDropout {
 public:
  /// No dropout.
  GateDropout() = default;
  /// One mask for all gates, or one for each of `gates`. Nothing is drawn for a rate of 0 or 1:
  /// Keras's cells with gates take 1 for "off".
  GateDropout(const SeedGenerator& seeds, double rate, const Shape& shape, DType dtype, int gates);

  bool active() const { return !masks_.empty(); }
  bool per_gate() const { return masks_.size() > 1; }
  /// x times the mask of a gate. x may have a time axis in front of the mask's.
  Tensor operator()(const Tensor& x, int gate = 0) const;

 private:
  Tensors masks_;
};

/// The columns of a gate, or of `count` gates in a row.
Tensor gate_columns(const Tensor& kernel, int64_t units, int gate, int count = 1);

/// x kernel [+ bias] over the last axis, with dropout.
Tensor gate_product(const Tensor& x, const Tensor& kernel, const Tensor& bias,
                    const GateDropout& dropout, int64_t units, int gates);

/// The bias of an LSTM: `base`, but ones for the forget gate, the second of four.
Initializer forget_bias(const Initializer& base);

}  // namespace antler
