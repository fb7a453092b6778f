#include "antler/autodiff/jvp.h"

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ops/numpy/creation.h"

namespace antler {

JvpResult jvp(const std::function<Tensors(const Tensors&)>& function, const Tensors& primals,
              const Tensors& tangents) {
  bool fits = primals.size() == tangents.size();
  for (size_t i = 0; fits && i < primals.size(); ++i) {
    fits = primals[i].shape() == tangents[i].shape();
  }
  if (!fits) {
    throw ValueError(
        "jvp: expected one tangent per primal, of the same shape. Received: {} primals and {} "
        "tangents",
        primals.size(), tangents.size());
  }
  // Double backward: J^T w is linear in the weights w of the outputs, and its gradient with respect
  // to w, weighted by the tangents, is J times the tangents.
  JvpResult result;
  Tensors weights;
  Tensors pulled;
  GradientTape outer;
  {
    GradientTape inner;
    for (const Tensor& primal : primals) inner.watch(primal);
    result.outputs = function(primals);
    for (const Tensor& y : result.outputs) {
      weights.push_back(ops::zeros_like(y));
      outer.watch(weights.back());
    }
    pulled = inner.gradient(result.outputs, primals, weights,
                            {.unconnected_gradients = UnconnectedGradients::zero});
  }
  result.tangents = outer.gradient(pulled, weights, tangents,
                                   {.unconnected_gradients = UnconnectedGradients::zero});
  return result;
}

}  // namespace antler
