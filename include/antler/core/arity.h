#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace antler::internal {

template <class F, class Argument, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, std::conditional_t<I == I, const Argument&, void>...>;
}

/// How many arguments of one type F takes, from N to twelve; 0 if it takes something else.
template <class F, class Argument, size_t N>
constexpr size_t arity() {
  if constexpr (N > 12) {
    return 0;
  } else if constexpr (takes<F, Argument>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return arity<F, Argument, N + 1>();
  }
}

}  // namespace antler::internal
