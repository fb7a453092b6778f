#pragma once

#include <cstdint>
#include <functional>

#include "antler/core/variable.h"
#include "antler/nn/layer.h"

namespace antler {

/// A scale, and the largest magnitudes of the last steps, from which the next scale comes.
struct Float8Statistic {
  Variable scale;    ///< []
  Variable history;  ///< [length]
};

/// What training with numbers of 8 bits keeps of a layer. Gradients carry the new statistics: an
/// optimizer stores them as they are.
struct Float8Scales {
  Float8Statistic inputs;
  Float8Statistic kernel;
  Float8Statistic gradients;

  bool defined() const { return inputs.scale.defined(); }
  void add(const std::function<Variable(const WeightOptions&)>& add_weight, int64_t length);
  /// product(x, w) of x and the kernel w, both rounded to float8_e4m3fn, with the gradient of the
  /// product rounded to float8_e5m2. Statistics move on where `training`; x and w have the dtype
  /// that the layer computes in.
  Tensor product(const Tensor& x, const Tensor& w, bool training,
                 const std::function<Tensor(const Tensor&, const Tensor&)>& product) const;
};

/// The bias that goes with it: as a bfloat16 number, in float32 too.
Tensor float8_bias(const Tensor& bias);

}  // namespace antler
