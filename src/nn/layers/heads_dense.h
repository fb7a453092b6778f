#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/nn/layers/core.h"

namespace antler {

/// The equation of a projection from the last `contracted` axes of an input of `rank` to `units`
/// new ones, and the letters of the new axes.
struct HeadsEquation {
  std::string equation;
  std::string bias_axes;
};
HeadsEquation heads_equation(int rank, int contracted, int units);

/// A projection of an attention layer with these options, built for inputs of `shape`. It contracts
/// the last `contracted` axes with a kernel [contracted..., units...]; the bias is [units...].
template <class O>
std::shared_ptr<EinsumDense> heads_dense(const O& o, const char* name, const Shape& shape,
                                         int contracted, const std::vector<int64_t>& units,
                                         const ActivationFunction& activation = {}) {
  const HeadsEquation e = heads_equation(shape.rank(), contracted, static_cast<int>(units.size()));
  Shape output;  // without the batch
  for (int i = 1; i < shape.rank() - contracted; ++i) output.push_back(Shape::kUnknown);
  for (int64_t size : units) output.push_back(size);
  EinsumDenseOptions options{.activation = activation,
                             .kernel_initializer = o.kernel_initializer,
                             .bias_initializer = o.bias_initializer,
                             .kernel_regularizer = o.kernel_regularizer,
                             .bias_regularizer = o.bias_regularizer,
                             .kernel_constraint = o.kernel_constraint,
                             .bias_constraint = o.bias_constraint,
                             .name = name,
                             .dtype = o.dtype,
                             .activity_regularizer = o.activity_regularizer};
  if (o.use_bias) options.bias_axes = e.bias_axes;
  auto layer =
      std::dynamic_pointer_cast<EinsumDense>(EinsumDense(e.equation, output, options).share());
  layer->ensure_built({shape});
  return layer;
}

}  // namespace antler
