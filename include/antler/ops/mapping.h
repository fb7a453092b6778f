#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "antler/core/tensor.h"

/// Functions applied along an axis: keras.ops.map and its kin. Traced, they are one loop.
namespace antler::ops {

using TensorFunction = std::function<Tensor(const Tensor&)>;
using TensorsFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// f of each xs[0][i], xs[1][i], ..., its results stacked along axis 0. Differentiable. What a step
/// computes may be done for all of them at once, so that this is Keras's vectorized_map too.
std::vector<Tensor> map(const TensorsFunction& f, const std::vector<Tensor>& xs);
Tensor map(const TensorFunction& f, const Tensor& x);
inline Tensor vectorized_map(const TensorFunction& f, const Tensor& elements) {
  return map(f, elements);
}
inline std::vector<Tensor> vectorized_map(const TensorsFunction& f,
                                          const std::vector<Tensor>& elements) {
  return map(f, elements);
}

/// A function of scalars as one of arrays, which are broadcast to one shape (keras.ops.vectorize
/// without a signature).
TensorsFunction vectorize(const TensorsFunction& f);

/// All partial combinations along `axis`: (x0, x0+x1, x0+x1+x2, ...) where `combine` is +. It must
/// be associative, and takes slices [..., k, ...] of all elements, so that the number of calls
/// grows with the logarithm of the length (Blelloch 1990). `reverse` begins at the end. Throws
/// ValueError unless all elements have one length along the axis.
using Combine =
    std::function<std::vector<Tensor>(const std::vector<Tensor>& a, const std::vector<Tensor>& b)>;
std::vector<Tensor> associative_scan(const Combine& combine, const std::vector<Tensor>& elements,
                                     bool reverse = false, int64_t axis = 0);

}  // namespace antler::ops
