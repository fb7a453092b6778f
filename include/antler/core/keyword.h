#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/required.h"

/// Python's keyword arguments, in any order: `Dense(8, kw::name = "head", kw::activation =
/// "relu")`. The keywords themselves are in training/keywords.h.
namespace antler {

/// Integers in braces, until the type of the field is known.
class IntegersInBraces {
 public:
  IntegersInBraces(std::initializer_list<int64_t> values)  // NOLINT(google-explicit-constructor)
      : values_(values) {}
  template <class Field>
  requires(std::tuple_size<Field>::value > 0) Field as()
  const { return {values_.at(0), values_.at(values_.size() == 1 ? 0 : 1)}; }
  template <class Field>
  requires std::constructible_from<Field, std::vector<int64_t>> Field as()
  const {
    // One number in braces is not a list everywhere: `.strides = {2}`.
    return values_.size() == 1 ? Field{values_[0]} : Field(values_);
  }

 private:
  std::vector<int64_t> values_;
};

/// A keyword with its value, `kw::epochs = 5`. `Name::field(options)` is the field that it sets.
template <class Name, class T>
class KeywordValue {
 public:
  using Keyword = Name;
  // A template, so that a check whether keywords can be copied does not try to convert them to T.
  template <std::same_as<T> V>
  explicit KeywordValue(V value) : value_(std::move(value)) {}

  template <class Options>
  static constexpr bool is_field_of() {
    return requires(Options & options) { Name::field(options); };
  }
  template <class Options>
  void set(Options& options) {
    if constexpr (is_field_of<Options>()) {
      auto& field = Name::field(options);
      using Field = std::remove_reference_t<decltype(field)>;
      static_assert(!std::is_same_v<Field, bool> || std::is_arithmetic_v<T> ||
                        std::is_same_v<T, std::optional<bool>>,
                    "This keyword argument is a bool.");
      static_assert(!std::is_integral_v<Field> || !std::is_floating_point_v<T>,
                    "This keyword argument is an integer.");
      if constexpr (std::is_same_v<T, IntegersInBraces>) {
        field = value_.template as<Field>();
      } else if constexpr (std::is_same_v<T, std::optional<Field>>) {
        if (value_) field = std::move(*value_);  // None: the default
      } else {
        Field value = std::move(value_);
        field = std::move(value);
      }
    }
  }
  T take() && { return std::move(value_); }
  /// One keyword works wherever options are expected: `load_model(path, kw::compile = false)`.
  template <class Options>
  requires(is_field_of<Options>() && std::is_aggregate_v<Options>)
  operator Options() && {  // NOLINT(google-explicit-constructor)
    Options options = default_options<Options>();
    set(options);
    return options;
  }

 private:
  T value_;
};

/// Assigns values in braces, as a `Braces`, to a keyword.
template <class Name, class Braces>
struct BracesKeyword {
  KeywordValue<Name, Braces> operator=(Braces value) const {  // NOLINT(misc-*-assignment*)
    return KeywordValue<Name, Braces>(std::move(value));
  }
};
/// A keyword; assigning to it gives a KeywordValue. Values are kept as they are until the type of
/// the field is known; values in braces become one of `Braces`.
template <class Name, class... Braces>
struct Keyword : BracesKeyword<Name, Braces>... {
  using BracesKeyword<Name, Braces>::operator=...;
  template <class V>
  KeywordValue<Name, std::decay_t<V>> operator=(V&& value) const {  // NOLINT(misc-*-assignment*)
    return KeywordValue<Name, std::decay_t<V>>(std::decay_t<V>(std::forward<V>(value)));
  }
};
/// A keyword whose field has the same type everywhere. Values are converted at once.
template <class Name, class T>
struct TypedKeyword {
  KeywordValue<Name, T> operator=(T value) const {  // NOLINT(misc-*-assignment*)
    return KeywordValue<Name, T>(std::move(value));
  }
};

template <class T>
inline constexpr bool kIsKeyword = false;
template <class Name, class T>
inline constexpr bool kIsKeyword<KeywordValue<Name, T>> = true;
template <class T>
concept KeywordArgument = kIsKeyword<T>;
/// At least one keyword, and nothing else.
template <class... K>
concept KeywordArguments = sizeof...(K) > 0 && (KeywordArgument<K> && ...);

/// Whether `K` is one of the keywords only once.
template <class K, class... All>
inline constexpr bool kIsGivenOnce =
    (static_cast<int>(std::is_same_v<typename K::Keyword, typename All::Keyword>) + ...) == 1;
/// Keywords that all are fields of `Options`.
template <class Options, class... K>
concept KeywordsOf = KeywordArguments<K...> &&(K::template is_field_of<Options>() && ...);

template <class K, class... Parts>
inline constexpr bool kIsFieldOfAny = (K::template is_field_of<Parts>() || ...);
/// One of each of the structs, with the fields that the keywords set; the others keep their
/// defaults.
template <class... Parts, KeywordArgument... K>
std::tuple<Parts...> split_keywords(K&&... keywords) {
  static_assert((kIsFieldOfAny<K, Parts...> && ...),
                "This class or function does not have one of the keyword arguments.");
  static_assert((kIsGivenOnce<K, K...> && ...), "A keyword argument is repeated.");
  std::tuple<Parts...> parts = {default_options<Parts>()...};
  const auto set = [&](auto& keyword) {
    std::apply([&](auto&... part) { (keyword.set(part), ...); }, parts);
  };
  (set(keywords), ...);
  return parts;
}
/// The options that the keywords set.
template <class Options, KeywordArgument... K>
Options from_keywords(K&&... keywords) {
  return std::get<0>(split_keywords<Options>(std::forward<K>(keywords)...));
}

// In a class whose constructor takes up to three arguments of the given types and then its options:
// a constructor that takes keywords in place of the options.
#define ANTLER_KEYWORD_CONSTRUCTOR(...)                                                        \
  ANTLER_KEYWORD_SELECT_(__VA_ARGS__, ANTLER_KEYWORD_3_, ANTLER_KEYWORD_2_, ANTLER_KEYWORD_1_, \
                         ANTLER_KEYWORD_0_, )                                                  \
  (__VA_ARGS__)
// The same, and another that takes keywords alone.
#define ANTLER_KEYWORD_CONSTRUCTORS(Class, Options, ...) \
  ANTLER_KEYWORD_0_(Class, Options)                      \
  ANTLER_KEYWORD_CONSTRUCTOR(Class, Options, __VA_ARGS__)
// The same for a constructor that is a template: it takes what converts to `A`, and then the
// options.
#define ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Class, Options, A) \
  ANTLER_KEYWORD_0_(Class, Options)                         \
  template <std::convertible_to<A> From, class... K>        \
  requires antler::KeywordArguments<K...>                   \
  explicit Class(const From& a, K... keywords)              \
      : Class(a, antler::from_keywords<Options>(std::move(keywords)...)) {}
#define ANTLER_KEYWORD_SELECT_(Class, Options, A, B, C, macro, ...) macro
#define ANTLER_KEYWORD_0_(Class, Options) \
  template <class... K>                   \
  requires antler::KeywordArguments<K...> \
  explicit Class(K... keywords) : Class(antler::from_keywords<Options>(std::move(keywords)...)) {}
#define ANTLER_KEYWORD_1_(Class, Options, A) \
  template <class... K>                      \
  requires antler::KeywordArguments<K...>    \
  explicit Class(A a, K... keywords)         \
      : Class(std::move(a), antler::from_keywords<Options>(std::move(keywords)...)) {}
#define ANTLER_KEYWORD_2_(Class, Options, A, B)                          \
  template <class... K>                                                  \
  requires antler::KeywordArguments<K...> Class(A a, B b, K... keywords) \
      : Class(std::move(a), std::move(b),                                \
              antler::from_keywords<Options>(std::move(keywords)...)) {}
#define ANTLER_KEYWORD_3_(Class, Options, A, B, C)                            \
  template <class... K>                                                       \
  requires antler::KeywordArguments<K...> Class(A a, B b, C c, K... keywords) \
      : Class(std::move(a), std::move(b), std::move(c),                       \
              antler::from_keywords<Options>(std::move(keywords)...)) {}

// For a function of up to four arguments of the given types and then options: an overload that
// takes keywords in place of the options.
#define ANTLER_KEYWORD_FUNCTION(...)                                                        \
  ANTLER_KEYWORD_SELECT_FUNCTION_(__VA_ARGS__, ANTLER_KEYWORD_FUNCTION_4_,                  \
                                  ANTLER_KEYWORD_FUNCTION_3_, ANTLER_KEYWORD_FUNCTION_2_,   \
                                  ANTLER_KEYWORD_FUNCTION_1_, ANTLER_KEYWORD_FUNCTION_0_, ) \
  (__VA_ARGS__)
#define ANTLER_KEYWORD_SELECT_FUNCTION_(function, Options, A, B, C, D, macro, ...) macro
#define ANTLER_KEYWORD_FUNCTION_0_(function, Options)                        \
  template <class... K>                                                      \
  requires antler::KeywordsOf<Options, K...>                                 \
  auto function(K... keywords) {                                             \
    return function(antler::from_keywords<Options>(std::move(keywords)...)); \
  }
#define ANTLER_KEYWORD_FUNCTION_1_(function, Options, A)                        \
  template <class... K>                                                         \
  requires antler::KeywordsOf<Options, K...>                                    \
  auto function(A a, K... keywords) {                                           \
    return function(a, antler::from_keywords<Options>(std::move(keywords)...)); \
  }
#define ANTLER_KEYWORD_FUNCTION_2_(function, Options, A, B)                        \
  template <class... K>                                                            \
  requires antler::KeywordsOf<Options, K...>                                       \
  auto function(A a, B b, K... keywords) {                                         \
    return function(a, b, antler::from_keywords<Options>(std::move(keywords)...)); \
  }
#define ANTLER_KEYWORD_FUNCTION_3_(function, Options, A, B, C)                        \
  template <class... K>                                                               \
  requires antler::KeywordsOf<Options, K...>                                          \
  auto function(A a, B b, C c, K... keywords) {                                       \
    return function(a, b, c, antler::from_keywords<Options>(std::move(keywords)...)); \
  }
#define ANTLER_KEYWORD_FUNCTION_4_(function, Options, A, B, C, D)                        \
  template <class... K>                                                                  \
  requires antler::KeywordsOf<Options, K...>                                             \
  auto function(A a, B b, C c, D d, K... keywords) {                                     \
    return function(a, b, c, d, antler::from_keywords<Options>(std::move(keywords)...)); \
  }

}  // namespace antler
