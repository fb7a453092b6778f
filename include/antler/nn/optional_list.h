#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace antler {

/// Field type of an optional list: a std::optional of a std::vector that one pair of braces sets,
/// as in `{.vocabulary = {"a", "b"}}`.
template <class T>
class OptionalList : public std::optional<std::vector<T>> {
  // Not std::string: a list of two literals would then convert to one string, as a pair of
  // iterators.
  using Element = std::conditional_t<std::same_as<T, std::string>, const char*, T>;

 public:
  using std::optional<std::vector<T>>::optional;
  OptionalList() = default;
  OptionalList(std::optional<std::vector<T>> list)  // NOLINT(google-explicit-constructor)
      : std::optional<std::vector<T>>(std::move(list)) {}
  OptionalList(std::initializer_list<Element> list)
      : std::optional<std::vector<T>>(std::in_place, list.begin(), list.end()) {}
  bool given() const { return this->has_value(); }
};

/// Field type of one integer or a list of integers: `{.salt = 133}`, `{.salt = {133, 137}}`.
class IntegerList : public std::vector<int64_t> {
 public:
  using std::vector<int64_t>::vector;
  IntegerList() = default;
  template <std::integral I>
  IntegerList(I number)  // NOLINT(google-explicit-constructor)
      : IntegerList{static_cast<int64_t>(number)} {}
};

}  // namespace antler
