#pragma once

#include <optional>

#include "antler/nn/initializer.h"
#include "antler/nn/layer.h"

/// Shared by cells with gates. The columns of their kernels are blocks of equal width, one per
/// gate.
namespace antler {

/// Dropout of a cell in one sequence. Masks are drawn once and used in all steps.
class GateDropout {
 public:
  /// No dropout.
  GateDropout() = default;
  /// One mask for all gates, or one mask per gate. A rate of 0 or 1 means no dropout: Keras's cells
  /// with gates treat a rate of 1 as "off".
  GateDropout(const SeedGenerator& seeds, double rate, const Shape& shape, DType dtype, int gates);

  bool active() const { return !masks_.empty(); }
  bool per_gate() const { return masks_.size() > 1; }
  /// x times the mask of a gate. x may have a time axis in front of the mask's.
  Tensor operator()(const Tensor& x, int gate = 0) const;

 private:
  Tensors masks_;
};

/// Dropout of the inputs and of the state h of an LSTM or a GRU.
struct CellDropout {
  GateDropout inputs;
  GateDropout state;

  /// Draws the masks of a sequence of inputs [batch, features]. With implementation 1, each gate
  /// has its own masks.
  template <class O>
  static CellDropout draw(const O& o, const SeedGenerator& seeds, int64_t batch, int64_t features,
                          DType dtype, int gates) {
    const int masks = o.implementation == 1 ? gates : 1;
    return {GateDropout(seeds, o.dropout, {batch, features}, dtype, masks),
            GateDropout(seeds, o.recurrent_dropout, {batch, o.units}, dtype, masks)};
  }
};

/// Whether the fused op of an LSTM or a GRU supports these options.
template <class O>
bool suits_fused_op(const O& o, bool training) {
  if (o.activation.name() != "tanh" || o.recurrent_activation.name() != "sigmoid") return false;
  return !training || (o.recurrent_dropout == 0 && (o.dropout == 0 || o.implementation != 1));
}

/// The columns of a gate, or of `count` consecutive gates.
Tensor gate_columns(const Tensor& kernel, int64_t units, int gate, int count = 1);

/// x kernel [+ bias] over the last axis, with dropout.
Tensor gate_product(const Tensor& x, const Tensor& kernel, const Tensor& bias,
                    const GateDropout& dropout, int64_t units, int gates);

/// The bias initializer of an LSTM: `base`, but ones for the forget gate, which is the second of
/// four.
Initializer forget_bias(const Initializer& base);

}  // namespace antler
