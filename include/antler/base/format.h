#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace antler {

/// One argument of `format`: a string, a number, or anything with a `str()` member or a `to_string`
/// function. It refers to the given strings, so it must not outlive the call. It exists to keep
/// fmt's headers, which are slow to compile, out of antler.h.
class FormatArg {
 public:
  enum class Kind : uint8_t { string, boolean, character, integer, unsigned_integer, real };

  template <class T>
  FormatArg(const T& value) {  // NOLINT(google-explicit-constructor): arguments convert implicitly
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      view_ = value;
    } else if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::boolean;
      integer_ = value;
    } else if constexpr (std::same_as<T, char>) {
      kind_ = Kind::character;
      integer_ = value;
    } else if constexpr (std::signed_integral<T>) {
      kind_ = Kind::integer;
      integer_ = value;
    } else if constexpr (std::unsigned_integral<T>) {
      kind_ = Kind::unsigned_integer;
      integer_ = static_cast<int64_t>(value);
    } else if constexpr (std::floating_point<T>) {
      kind_ = Kind::real;
      real_ = static_cast<double>(value);
      single_ = std::same_as<T, float>;
    } else if constexpr (requires {
                           { value.str() } -> std::convertible_to<std::string>;
                         }) {
      view_ = owned_ = value.str();
    } else {
      view_ = owned_ = to_string(value);  // found by argument-dependent lookup
    }
  }
  ~FormatArg();  // not inline: it is needed wherever an error is thrown
  FormatArg(const FormatArg&) = delete;
  FormatArg& operator=(const FormatArg&) = delete;

  Kind kind() const { return kind_; }
  std::string_view string() const { return view_; }
  int64_t integer() const { return integer_; }
  double real() const { return real_; }
  /// The number was a float, so it is printed with the digits that a float needs.
  bool is_single() const { return single_; }

 private:
  Kind kind_ = Kind::string;
  bool single_ = false;
  union {
    int64_t integer_ = 0;  // NOLINT(readability-identifier-naming): private, as its union is
    double real_;          // NOLINT(readability-identifier-naming)
  };
  std::string_view view_;
  std::string owned_;
};

/// A format pattern. The compiler checks the number of its fields.
template <class... Args>
class FormatPattern {
 public:
  template <class S>
  requires std::convertible_to<const S&, std::string_view>
  consteval FormatPattern(const S& pattern)
      : pattern_(pattern) {  // NOLINT(google-explicit-constructor)
    size_t fields = 0;
    for (size_t i = 0; i < pattern_.size(); ++i) {
      const bool doubled = i + 1 < pattern_.size() && pattern_[i + 1] == pattern_[i];
      if (pattern_[i] == '{' && !doubled) ++fields;
      if ((pattern_[i] == '{' || pattern_[i] == '}') && doubled) ++i;
    }
    if (fields != sizeof...(Args))
      throw "the number of fields in the pattern differs from the number of arguments";
  }
  std::string_view str() const { return pattern_; }

 private:
  std::string_view pattern_;
};

/// Implements `format`. The pattern has fmt's syntax.
std::string format_arguments(std::string_view pattern, std::initializer_list<FormatArg> arguments);

/// fmt::format: replaces each `{}`, `{:.3f}` and so on of the pattern by an argument. `{}` prints a
/// number with the fewest digits that read back equal.
template <class... Args>
std::string format(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... arguments) {
  return format_arguments(pattern.str(), {FormatArg(arguments)...});
}

}  // namespace antler
