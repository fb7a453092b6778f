#pragma once

#include <memory>
#include <utility>

namespace antler {

/// What remat() opens: while it lives, the values that this thread traces and that gradients need
/// are not kept for them, but computed a second time from what goes into the region. Regions nest:
/// what an inner one computes is computed again from what went into that, which is computed again
/// itself. Host functions, and what the function of a custom gradient holds, stay in memory. Has no
/// effect on eager code, whose tapes hold every value, nor on workers of parameter servers.
class RematRegion {
 public:
  RematRegion();
  ~RematRegion();
  RematRegion(const RematRegion&) = delete;
  RematRegion& operator=(const RematRegion&) = delete;
  /// The values are kept after all.
  void cancel();

  struct Range;

 private:
  std::shared_ptr<Range> range_;
};

/// keras.remat, also called gradient checkpointing: a function like `f` (any callable: a lambda, a
/// layer) whose intermediate values do not wait in memory for the gradient, but are computed again
/// for it. Less memory, more work. Results and gradients are the same, random numbers included.
///
///     const auto block = remat([&](const Tensor& x) { return second(first(x)); });
///     const Tensor y = block(x);
template <class F>
auto remat(F f) {
  return [f = std::move(f)](auto&&... arguments) {
    const RematRegion region;
    return f(std::forward<decltype(arguments)>(arguments)...);
  };
}

}  // namespace antler
