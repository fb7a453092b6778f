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
/// Chooses branch `index` (clamped), Keras's `ops.switch`.
std::vector<Tensor> switch_(const Tensor& index,
                            const std::vector<std::function<std::vector<Tensor>()>>& branches);
/// Repeats `body` while `condition` holds. Loop values keep dtype and shape. Reverse-mode gradients
/// need a known number of iterations: use scan() or fori_loop() for those.
std::vector<Tensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& condition,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    std::vector<Tensor> values, int64_t maximum_iterations = -1);
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
/// values = body(i, values) for i = low .. high-1. Differentiable.
std::vector<Tensor> fori_loop(
    int64_t low, int64_t high,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>&)>& body,
    std::vector<Tensor> values);

// The same for a single tensor.
template <class F, class G>
requires(std::convertible_to<std::invoke_result_t<const F&>, Tensor>&&
             std::convertible_to<std::invoke_result_t<const G&>, Tensor>) Tensor
    cond(const Tensor& predicate, const F& if_true, const G& if_false) {
  return cond(
      predicate, [&] { return std::vector<Tensor>{if_true()}; },
      [&] { return std::vector<Tensor>{if_false()}; })[0];
}
template <std::same_as<Tensor> T, class Condition, class Body>
requires std::invocable<const Body&, const T&> Tensor while_loop(const Condition& condition,
                                                                 const Body& body, const T& value,
                                                                 int64_t maximum_iterations = -1) {
  return while_loop([&](const std::vector<Tensor>& v) -> Tensor { return condition(v[0]); },
                    [&](const std::vector<Tensor>& v) { return std::vector<Tensor>{body(v[0])}; },
                    std::vector<Tensor>{value}, maximum_iterations)[0];
}
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

/// How many replicas run the program that this thread traces: collectives are made for that many. 1
/// unless a ReplicaScope says otherwise.
int64_t replica_count();
/// Sets replica_count() while it lives; a distribution strategy opens one around a replica's
/// function.
class ReplicaScope {
 public:
  explicit ReplicaScope(int64_t count);
  ~ReplicaScope();
  ReplicaScope(const ReplicaScope&) = delete;
  ReplicaScope& operator=(const ReplicaScope&) = delete;

 private:
  int64_t previous_;
};

enum class ReduceOp : uint8_t { sum, mean, max, min };
/// Combines the values of all replicas; with one replica the value itself.
Tensor all_reduce(const Tensor& x, ReduceOp op = ReduceOp::sum);
/// Values of all replicas, concatenated along `axis`.
Tensor all_gather(const Tensor& x, int64_t axis = 0);

}  // namespace antler::ops
