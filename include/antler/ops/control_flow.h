#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

/// Control flow, which a trace records as an op with regions. Bodies may use outer tensors, and
/// read and assign variables.
namespace antler::ops {

/// Runs one of two bodies. Throws ValueError unless both return the same dtypes and shapes.
std::vector<Tensor> cond(const Tensor& predicate,
                         const std::function<std::vector<Tensor>()>& if_true,
                         const std::function<std::vector<Tensor>()>& if_false);
// Overloads for a single tensor.
template <class F, class G>
requires(std::convertible_to<std::invoke_result_t<const F&>, Tensor>&&
             std::convertible_to<std::invoke_result_t<const G&>, Tensor>) Tensor
    cond(const Tensor& predicate, const F& if_true, const G& if_false) {
  return cond(
      predicate, [&] { return std::vector<Tensor>{if_true()}; },
      [&] { return std::vector<Tensor>{if_false()}; })[0];
}
/// Runs branch `index`, clamped to the existing branches. Keras's `ops.switch`.
std::vector<Tensor> switch_(const Tensor& index,
                            const std::vector<std::function<std::vector<Tensor>()>>& branches);
/// For branches that return one tensor and take the operands: `switch_(i, {f, g}, x)`.
template <std::same_as<Tensor>... T>
Tensor switch_(
    const Tensor& index,
    std::initializer_list<std::function<Tensor(const std::type_identity_t<T>&...)>> branches,
    const T&... operands) {
  std::vector<std::function<std::vector<Tensor>()>> calls;
  for (const auto& branch : branches)
    calls.push_back([&] { return std::vector<Tensor>{branch(operands...)}; });
  return switch_(index, calls)[0];
}
/// Options of while_loop().
struct WhileLoopOptions {
  int64_t maximum_iterations = -1;  ///< -1: no limit
};
/// Repeats `body` while `condition` holds. Loop values keep their dtypes and shapes. It has no
/// gradient, because the number of iterations is unknown: use scan() or fori_loop() instead.
std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    std::vector<Tensor> values, WhileLoopOptions options = {});
template <std::same_as<Tensor> T, class Condition, class Body>
requires std::invocable<const Body&, const T&> Tensor while_loop(const Condition& condition,
                                                                 const Body& body, const T& value,
                                                                 WhileLoopOptions options = {}) {
  return while_loop([&](const std::vector<Tensor>& v) -> Tensor { return condition(v[0]); },
                    [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{body(v[0])}; },
                    std::vector<Tensor>{value}, options)[0];
}
/// For functions of several tensors: `condition(a, b)`, and `body(a, b)` that returns a std::tuple
/// or a std::pair, as `values` and the result are.
template <class Values, class Condition, class Body>
requires(std::tuple_size<Values>::value > 0) Values
    while_loop(const Condition& condition, const Body& body, const Values& values,
               WhileLoopOptions options = {}) {
  const auto to_vector = [](const Values& v) {
    return std::apply([](const auto&... t) { return std::vector<Tensor>{t...}; }, v);
  };
  const auto to_values = [](const std::vector<Tensor>& v) {
    return [&]<size_t... I>(std::index_sequence<I...>) { return Values{v[I]...}; }
    (std::make_index_sequence<std::tuple_size_v<Values>>());
  };
  return to_values(while_loop(
      [&](const std::vector<Tensor>& v) -> Tensor { return std::apply(condition, to_values(v)); },
      [&](const std::vector<Tensor>& v) -> std::vector<Tensor> {
        return to_vector(std::apply(body, to_values(v)));
      },
      to_vector(values), options));
}
/// Result of scan().
struct ScanResult {
  std::vector<Tensor> carry;
  std::vector<Tensor> ys;  ///< stacked along axis 0
};
/// `step(carry, x_t)` returns the next carry and y_t. It runs for t = 0 .. length-1, or backwards
/// with `reverse`; xs are sliced along axis 0. Differentiable.
using ScanStep = std::function<std::pair<std::vector<Tensor>, std::vector<Tensor>>(
    const std::vector<Tensor>& carry, const std::vector<Tensor>& x)>;
/// When the work of a scan's body is done.
enum class ScanWork : uint8_t {
  anywhere,  ///< work that does not depend on carries may be done for all steps at once: fastest
  in_steps,  ///< all work stays in its step, and the gradient does it again: intermediate values
             ///< take the memory of one step. Without carries, steps are divided among threads.
};
/// Options of scan().
struct ScanOptions {
  int64_t length = -1;                 ///< number of steps; -1: that of xs
  bool reverse = false;                ///< from the last step to the first
  ScanWork work = ScanWork::anywhere;  ///< trades speed for memory
};
ScanResult scan(const ScanStep& step, std::vector<Tensor> init, std::vector<Tensor> xs,
                ScanOptions options = {});
ANTLER_KEYWORD_FUNCTION(scan, ScanOptions, const ScanStep&, std::vector<Tensor>,
                        std::vector<Tensor>)
/// `step(carry, x_t)` returns a std::pair. So does this function: the last carry and the stacked y.
template <std::same_as<Tensor> T, class Step>
requires std::invocable<const Step&, const T&, const T&> std::pair<Tensor, Tensor> scan(
    const Step& step, const T& init, const T& xs, ScanOptions options = {}) {
  const ScanStep whole = [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& x) {
    const auto [next, y] = step(carry[0], x[0]);
    return std::pair(std::vector<Tensor>{next}, std::vector<Tensor>{y});
  };
  const ScanResult result =
      scan(whole, std::vector<Tensor>{init}, std::vector<Tensor>{xs}, options);
  return {result.carry[0], result.ys[0]};
}
template <std::same_as<Tensor> T, class Step, class... K>
requires std::invocable<const Step&, const T&, const T&> && KeywordsOf<ScanOptions, K...>
    std::pair<Tensor, Tensor> scan(const Step& step, const T& init, const T& xs, K... keywords) {
  return scan(step, init, xs, from_keywords<ScanOptions>(std::move(keywords)...));
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
/// Calls f(xs[0][i], xs[1][i], ...) for each i and stacks the results along axis 0. Differentiable.
/// The compiler may compute all elements at once, so this is also Keras's vectorized_map.
std::vector<Tensor> map(const TensorsFunction& f, const std::vector<Tensor>& xs);
Tensor map(const TensorFunction& f, const Tensor& x);
inline Tensor vectorized_map(const TensorFunction& f, const Tensor& elements) {
  return map(f, elements);
}
inline std::vector<Tensor> vectorized_map(const TensorsFunction& f,
                                          const std::vector<Tensor>& elements) {
  return map(f, elements);
}
/// Turns a function of scalars into one of arrays, which broadcast (keras.ops.vectorize without a
/// signature).
TensorsFunction vectorize(const TensorsFunction& f);
/// Options of associative_scan().
struct AssociativeScanOptions {
  bool reverse = false;  ///< combine suffixes instead, from the end
  int64_t axis = 0;      ///< of the scan
};
/// All prefixes along `axis`, combined: (x0, x0+x1, x0+x1+x2, ...) if `combine` is +. `combine`
/// must be associative. It takes slices [..., k, ...] of all elements, so the number of calls grows
/// with the logarithm of the length (Blelloch 1990). Throws ValueError unless all elements have the
/// same length along the axis.
using Combine =
    std::function<std::vector<Tensor>(const std::vector<Tensor>& a, const std::vector<Tensor>& b)>;
std::vector<Tensor> associative_scan(const Combine& combine, const std::vector<Tensor>& elements,
                                     AssociativeScanOptions options = {});
/// The same for one tensor.
template <std::same_as<Tensor> T, class F>
requires std::invocable<const F&, const T&, const T&> Tensor
associative_scan(const F& combine, const T& elements, AssociativeScanOptions options = {}) {
  const Combine whole = [&](const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    return std::vector<Tensor>{combine(a[0], b[0])};
  };
  return associative_scan(whole, std::vector<Tensor>{elements}, options)[0];
}
template <class F, class Elements, class... K>
requires KeywordsOf<AssociativeScanOptions, K...>
auto associative_scan(const F& combine, const Elements& elements, K... keywords) {
  return associative_scan(combine, elements,
                          from_keywords<AssociativeScanOptions>(std::move(keywords)...));
}

}  // namespace antler::ops
