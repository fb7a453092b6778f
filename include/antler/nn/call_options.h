#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"

namespace antler {

/// A boolean argument that may be left out. As a condition it is false if it was not given, so
/// `if (options.training)` means what it does in Python. (A std::optional<bool> that holds false
/// would be true.)
class OptionalFlag {
 public:
  constexpr OptionalFlag() = default;
  /// (A template, so that pointers and numbers do not convert to flags.)
  template <std::same_as<bool> B>
  constexpr OptionalFlag(B value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  constexpr bool given() const { return value_.has_value(); }
  constexpr explicit operator bool() const { return value_.value_or(false); }
  constexpr bool value_or(bool otherwise) const { return value_.value_or(otherwise); }
  friend constexpr bool operator==(OptionalFlag, OptionalFlag) = default;

 private:
  std::optional<bool> value_;
};

/// The types of keyword arguments of a call.
using CallValue = std::variant<bool, int64_t, double, std::string, Nest>;

/// What may be passed when a layer is called, besides its inputs.
///
///     lstm(x, {.initial_state = {h, c}});
///     attention(Nest{query, value}, {.arguments = {{"use_causal_mask", true}}});
struct CallOptions {
  /// Keras's `training`; not given: that of the enclosing call, else false. A layer's `call` always
  /// gets a value.
  OptionalFlag training = {};
  /// Keras's `mask` [batch, time], true = keep; undefined = none. Pass a list of masks, one per
  /// input, as the argument "mask".
  Tensor mask = {};
  /// Keras's `initial_state` of recurrent layers: the states to start from; none = zeros.
  Nest initial_state = {};
  /// Further arguments by Keras's names, in the order in which they were given.
  std::vector<std::pair<std::string, CallValue>> arguments = {};

  /// The argument with this name; null if it was not given.
  const CallValue* find(const std::string& name) const;
  /// The argument as a nest, or none if it was not given; also works for `initial_state`. Throws
  /// TypeError if it is not a nest.
  Nest tensors(const std::string& name) const;
  /// The argument as a boolean. Throws TypeError if it is not one.
  bool flag(const std::string& name, bool otherwise = false) const;
  /// Sets or replaces an argument; "training", a single "mask" and "initial_state" go to their
  /// fields.
  void set(const std::string& name, CallValue value);

  /// All tensors among the options, in Keras's order (arguments by sorted names).
  Tensors leaves() const;
  /// The same options with these leaves().
  CallOptions with_leaves(const Tensors& leaves) const;
};

/// The options that the keywords of a call give: `layer(x, kw::training = true)`.
template <KeywordArgument... K>
CallOptions call_options(K&&... keywords) {
  CallOptions options;
  const auto set = [&]<class Name, class T>(KeywordValue<Name, T>&& keyword) {
    T value = std::move(keyword).take();
    if constexpr (std::is_same_v<T, bool>) {
      options.set(Name::kName, CallValue(value));
    } else if constexpr (std::is_integral_v<T>) {
      options.set(Name::kName, CallValue(static_cast<int64_t>(value)));
    } else if constexpr (std::is_floating_point_v<T>) {
      options.set(Name::kName, CallValue(static_cast<double>(value)));
    } else if constexpr (std::is_convertible_v<T, std::string>) {
      options.set(Name::kName, CallValue(std::string(std::move(value))));
    } else {
      options.set(Name::kName, CallValue(Nest(std::move(value))));
    }
  };
  (set(std::forward<K>(keywords)), ...);
  return options;
}

/// How Keras calls a layer: names of the parameters of its `call`.
struct CallSignature {
  /// The parameters that hold the inputs. There are several if Keras passes the inputs one by one
  /// ("query", "value"); here they form a list. Later ones may be left out.
  std::vector<std::string> inputs = {"inputs"};
  /// The parameters after them, in order.
  std::vector<std::string> keywords = {"mask", "training"};
};

}  // namespace antler
