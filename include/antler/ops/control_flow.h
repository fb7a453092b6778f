#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

/// Control flow that is traced as control flow. Bodies may use outer tensors and read and assign
/// variables.
namespace antler::ops {

/// Runs one of two bodies. Both must give the same dtypes and shapes (else ValueError).
std::vector<Tensor> cond(const Tensor& predicate,
                         const std::function<std::vector<Tensor>()>& if_true,
                         const std::function<std::vector<Tensor>()>& if_false);
template <class F, class G>
requires(std::convertible_to<std::invoke_result_t<const F&>, Tensor>&&
             std::convertible_to<std::invoke_result_t<const G&>, Tensor>) Tensor
    cond(const Tensor& predicate, const F& if_true, const G& if_false) {
  return cond(
      predicate, [&] { return std::vector<Tensor>{if_true()}; },
      [&] { return std::vector<Tensor>{if_false()}; })[0];
}
/// Chooses branch `index` (clamped), Keras's `ops.switch`.
std::vector<Tensor> switch_(const Tensor& index,
                            const std::vector<std::function<std::vector<Tensor>()>>& branches);
/// Repeats `body` while `condition` holds. Loop values keep dtype and shape. Reverse-mode gradients
/// need a known number of iterations: use scan() or fori_loop() for those.
std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    std::vector<Tensor> values, int64_t maximum_iterations = -1);
template <std::same_as<Tensor> T, class Condition, class Body>
requires std::invocable<const Body&, const T&> Tensor while_loop(const Condition& condition,
                                                                 const Body& body, const T& value,
                                                                 int64_t maximum_iterations = -1) {
  return while_loop([&](const std::vector<Tensor>& v) -> Tensor { return condition(v[0]); },
                    [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{body(v[0])}; },
                    std::vector<Tensor>{value}, maximum_iterations)[0];
}
struct ScanResult {
  std::vector<Tensor> carry;
  std::vector<Tensor> ys;  ///< stacked along axis 0
};
/// `step(carry, x_t)` gives the next carry and y_t, for t = 0 .. length-1 (or downwards); xs are
/// sliced along axis 0. Differentiable.
using ScanStep = std::function<std::pair<std::vector<Tensor>, std::vector<Tensor>>(
    const std::vector<Tensor>& carry, const std::vector<Tensor>& x)>;
/// Where a scan's work is done.
enum class ScanWork : uint8_t {
  anywhere,  ///< what the carries do not need may be computed for all steps at once: the fastest
  in_steps,  ///< all of it in its step, and in the gradient again: intermediate values take the
             ///< memory of one step. Without carries, steps are shared out to the threads.
};
ScanResult scan(const ScanStep& step, std::vector<Tensor> init, std::vector<Tensor> xs,
                int64_t length = -1, bool reverse = false, ScanWork work = ScanWork::anywhere);
/// `step(carry, x_t)` gives a std::pair; so does this: the last carry, and all y.
template <std::same_as<Tensor> T, class Step>
requires std::invocable<const Step&, const T&, const T&> std::pair<Tensor, Tensor> scan(
    const Step& step, const T& init, const T& xs, int64_t length = -1, bool reverse = false) {
  const ScanStep whole = [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& x) {
    const auto [next, y] = step(carry[0], x[0]);
    return std::pair(std::vector<Tensor>{next}, std::vector<Tensor>{y});
  };
  const ScanResult result =
      scan(whole, std::vector<Tensor>{init}, std::vector<Tensor>{xs}, length, reverse);
  return {result.carry[0], result.ys[0]};
}
/// values = body(i, values) for i = low .. high-1. Differentiable.
std::vector<Tensor> fori_loop(
    int64_t low, int64_t high,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>&)>& body,
    std::vector<Tensor> values);
template <std::same_as<Tensor> T, class Body>
requires std::invocable<const Body&, const T&, const T&> Tensor fori_loop(int64_t low, int64_t high,
                                                                          const Body& body,
                                                                          const T& value) {
  return fori_loop(
      low, high,
      [&](const Tensor& i, const std::vector<Tensor>& v) {
        return std::vector<Tensor>{body(i, v[0])};
      },
      std::vector<Tensor>{value})[0];
}

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
