#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"

/// What constructors make of arguments by position beside options: `Dropout(0.5, {.seed = 1})`.
namespace antler {

/// "rate" of &DropoutOptions::rate, from what the compiler calls this function.
template <auto Member>
std::string member_name() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const size_t begin = function.find("::", function.find("Member = "));
  const size_t end = function.find_first_of(",;])", begin);
  const std::string_view path = function.substr(begin, end - begin);
  return std::string(path.substr(path.rfind(':') + 1));
}

/// Whether an option was given; one that is equal to its default cannot be told from it.
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

/// `options` with `values` in their `Members`. Throws TypeError, as Python does, where the options
/// have a member already: it would be given by position and by name.
template <auto... Members, class Options, class... Values>
Options by_position(const char* class_name, Options options, Values&&... values) {
  const auto set = [&]<auto Member>(auto&& value) {
    if (is_given(options.*Member, Options().*Member)) {
      throw TypeError(std::string(class_name) + ": got multiple values for argument `" +
                      member_name<Member>() + "`: by position and by name.");
    }
    options.*Member = std::forward<decltype(value)>(value);
  };
  (set.template operator()<Members>(std::forward<Values>(values)), ...);
  return options;
}

}  // namespace antler
