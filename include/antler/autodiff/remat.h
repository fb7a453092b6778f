#pragma once

#include <memory>
#include <utility>

namespace antler {

/// The region that remat() opens. Values that this thread traces during its lifetime are not kept
/// for gradients, but computed again from the inputs of the region. Regions nest: the inputs of an
/// inner region may themselves be values that are computed again. Results of host functions, and
/// values that the function of a custom gradient holds, stay in memory. Regions have no effect on
/// eager code, because tapes hold every value, and on workers of parameter servers.
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

/// keras.remat, also called gradient checkpointing. Returns a function like `f` (any callable, such
/// as a lambda or a layer) whose intermediate values are not kept in memory for the gradient, but
/// computed again. This saves memory and costs time. Results and gradients are the same, including
/// random numbers.
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
