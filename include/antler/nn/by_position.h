#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/required.h"

/// Constructor arguments by position, combined with options by name: `Dropout(0.5, {.seed = 1})`.
namespace antler {

/// The name of a member: "rate" for &DropoutOptions::rate. Extracted from __PRETTY_FUNCTION__.
template <auto Member>
std::string member_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const size_t begin = function.find("::", function.find("Member = "));
  const size_t end = function.find_first_of(",;])", begin);
  const std::string_view path = function.substr(begin, end - begin);
  return std::string(path.substr(path.rfind(':') + 1));
}

/// Whether an option was given. A value equal to the default counts as not given.
template <class Field>
bool is_given(const Field& field, const Field& unset) {
  if constexpr (requires { field.given(); }) {
    return field.given();
  } else if constexpr (requires { field.defined(); }) {
    return field.defined();
  } else if constexpr (requires { field.values(); }) {
    return field.values() != unset.values();
  } else {
    return field != unset;
  }
}

/// Returns `options` with its `Members` set to `values`. Throws TypeError, as Python does, if a
/// member already has a value: the argument was then given by position and by name.
template <auto... Members, class Options, class... Values>
Options by_position(const char* class_name, Options options, Values&&... values) {
  const auto set = [&]<auto Member>(auto&& value) {
    if (is_given(options.*Member, default_options<Options>().*Member)) {
      throw TypeError("{}: got multiple values for argument `{}`: by position and by name.",
                      class_name, member_name<Member>());
    }
    options.*Member = std::forward<decltype(value)>(value);
  };
  (set.template operator()<Members>(std::forward<Values>(values)), ...);
  return options;
}

// In a class whose constructor takes `A` by position and whose other arguments have keywords:
// `Embedding(1000, kw::output_dim = 64)`. `field`: the option that is the first argument.
#define ANTLER_KEYWORD_CONSTRUCTOR_AFTER(Class, Options, A, field) \
  template <class... K>                                            \
  requires antler::KeywordArguments<K...>                          \
  explicit Class(A field, K... keywords)                           \
      : Class(antler::by_position<&Options::field>(                \
            #Class, antler::from_keywords<Options>(std::move(keywords)...), std::move(field))) {}

}  // namespace antler
