#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

namespace antler::data {

/// Returns the next element; nullopt at the end.
using PullElement = std::function<std::optional<Nest>()>;

/// A batch with named parts, as training loops pass it.
template <class T>
concept BatchLike = requires(const T& t) {
  { t.x } -> std::convertible_to<Nest>;
  { t.y } -> std::convertible_to<Nest>;
  { t.sample_weight } -> std::convertible_to<Nest>;
};

/// Converts to an element: anything convertible to a Nest; a batch with x, y and sample_weight; a
/// std::pair or std::tuple of such parts.
template <class T>
Nest to_element(const T& value) {
  if constexpr (BatchLike<T>) {
    return std::vector<Nest>{value.x, value.y, value.sample_weight};
  } else {
    return to_nest(value);
  }
}

/// Calls a function of an element or of its two or three parts. Throws ValueError for an element
/// with another number of parts.
template <class F>
auto call_on_parts(F& function, const Nest& element) {
  if constexpr (std::is_invocable_v<F&, const Nest&>) {
    return function(element);
  } else if constexpr (std::is_invocable_v<F&, const Nest&, const Nest&>) {
    const auto [x, y] = element.unpack<2>();
    return function(x, y);
  } else {
    const auto [x, y, sample_weight] = element.unpack<3>();
    return function(x, y, sample_weight);
  }
}

template <class T>
concept ElementLike = requires(const T& t) {
  { to_element(t) } -> std::convertible_to<Nest>;
};

/// A function that returns an optional element; nullopt at the end.
template <class F>
concept ElementFunction = requires(F& f) {
  { *f() } -> ElementLike;
  { f().has_value() } -> std::convertible_to<bool>;
};

/// A function that returns an element at each call and never ends.
template <class F>
concept EndlessFunction = requires(F& f) {
  requires std::convertible_to<decltype(f()), Nest> || BatchLike<decltype(f())> || requires {
    std::tuple_size<std::remove_cvref_t<decltype(f())>>::value;
  };
};

/// An input range of elements, for example a Coroutine. (Written out here because the header
/// `<ranges>` is slow to compile.)
template <class R>
concept ElementRange = requires(R& range) {
  { std::ranges::begin(range) } -> std::input_iterator;
  std::ranges::end(range);
};

/// Returns elements of a function or a range, which it owns.
template <class G>
requires ElementFunction<G> || EndlessFunction<G> || ElementRange<G> PullElement
pull_from(G generator) {
  if constexpr (ElementFunction<G>) {
    auto shared = std::make_shared<G>(std::move(generator));
    return [shared]() -> std::optional<Nest> {
      auto value = (*shared)();
      if (!value.has_value()) return std::nullopt;
      return to_element(*value);
    };
  } else if constexpr (EndlessFunction<G>) {
    auto shared = std::make_shared<G>(std::move(generator));
    return [shared]() -> std::optional<Nest> { return to_element((*shared)()); };
  } else {
    struct State {
      explicit State(G&& g) : range(std::move(g)) {}
      G range;
      std::optional<decltype(std::ranges::begin(std::declval<G&>()))>
          at;  // begun at the first pull
    };
    auto state = std::make_shared<State>(std::move(generator));
    return [state]() -> std::optional<Nest> {
      if (!state->at.has_value()) {
        state->at.emplace(std::ranges::begin(state->range));
      } else if (*state->at != std::ranges::end(state->range)) {
        ++*state->at;
      }
      if (*state->at == std::ranges::end(state->range)) return std::nullopt;
      return to_element(**state->at);
    };
  }
}

}  // namespace antler::data
