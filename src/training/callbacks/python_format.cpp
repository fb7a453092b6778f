#include "training/callbacks/python_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "antler/base/error.h"

// fmt has neither Python's type `%` nor its separators `,` and `_`.
namespace antler::training {
namespace {

constexpr int kMaxPrecision = 1000;
constexpr int kMaxWidth = 4096;

struct Spec {
  char fill = ' ';
  char align = 0;
  char sign = '-';
  bool alternate = false;
  int width = 0;
  char grouping = 0;
  int precision = -1;
  char type = 0;
};

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

Spec parse_spec(std::string_view text) {
  Spec spec;
  size_t at = 0;
  const auto peek = [&](size_t ahead = 0) {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  };
  const auto number = [&](int limit) {
    int value = 0;
    while (peek() >= '0' && peek() <= '9') {
      value = value * 10 + (text[at++] - '0');
      if (value > limit) throw ValueError("Too many digits in a format specification: {}", text);
    }
    return value;
  };
  if (is_align(peek(1))) {
    spec.fill = text[0];
    spec.align = text[1];
    at = 2;
  } else if (is_align(peek())) {
    spec.align = text[at++];
  }
  if (peek() == '+' || peek() == '-' || peek() == ' ') spec.sign = text[at++];
  if (peek() == '#') {
    spec.alternate = true;
    ++at;
  }
  if (peek() == '0') {
    if (spec.align == 0) {
      spec.fill = '0';
      spec.align = '=';
    }
    ++at;
  }
  spec.width = number(kMaxWidth);
  if (peek() == ',' || peek() == '_') spec.grouping = text[at++];
  if (peek() == '.') {
    ++at;
    if (peek() < '0' || peek() > '9') throw ValueError("Format specifier missing precision");
    spec.precision = number(kMaxPrecision);
  }
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) throw ValueError("Invalid format specifier: {}", text);
  return spec;
}

std::string printf_double(const char* format, int precision, double value) {
  const int size = std::snprintf(nullptr, 0, format, precision, value);
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format, precision, value);
  text.pop_back();
  return text;
}

/// Python adds ".0" where a float would look like an integer.
std::string with_point(std::string text) {
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

/// Python's format without a type: like "g", but with an exponent also if there would be no digit
/// after the point.
std::string general_digits(double v, int precision) {
  const std::string scientific = printf_double("%.*e", precision - 1, v);
  const int exponent = std::atoi(scientific.c_str() + scientific.rfind('e') + 1);
  if (exponent != precision - 1) return with_point(printf_double("%.*g", precision, v));
  std::string digits = scientific.substr(0, scientific.rfind('e'));
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + scientific.substr(scientific.rfind('e'));
}

/// Digits of |value|, without sign.
std::string float_digits(double value, const Spec& spec) {
  const double v = std::fabs(value);
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return "inf";
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 0:
      return spec.precision < 0 ? python_repr(v) : general_digits(v, std::max(precision, 1));
    case 'f':
    case 'F':
      return printf_double(spec.alternate ? "%#.*f" : "%.*f", precision, v);
    case 'e':
      return printf_double(spec.alternate ? "%#.*e" : "%.*e", precision, v);
    case 'E':
      return printf_double(spec.alternate ? "%#.*E" : "%.*E", precision, v);
    case 'g':
    case 'n':
      return printf_double(spec.alternate ? "%#.*g" : "%.*g", precision, v);
    case 'G':
      return printf_double(spec.alternate ? "%#.*G" : "%.*G", precision, v);
    case '%':
      return printf_double("%.*f", precision, v * 100) + "%";
    default:
      throw ValueError("Unknown format code '{}' for object of type 'float'", spec.type);
  }
}

std::string integer_digits(uint64_t value, const Spec& spec) {
  int base = 10;
  std::string prefix;
  switch (spec.type) {
    case 0:
    case 'd':
    case 'n':
      break;
    case 'b':
      base = 2;
      prefix = "0b";
      break;
    case 'o':
      base = 8;
      prefix = "0o";
      break;
    case 'x':
    case 'X':
      base = 16;
      prefix = spec.type == 'x' ? "0x" : "0X";
      break;
    default:
      throw ValueError("Unknown format code '{}' for object of type 'int'", spec.type);
  }
  if (spec.precision >= 0) throw ValueError("Precision not allowed in integer format specifier");
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  std::string text(digits.data(), end);
  if (spec.type == 'X')
    for (char& c : text)
      if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
  return (spec.alternate ? prefix : std::string()) + text;
}

/// Separators between groups of three digits of the integer part.
std::string grouped(std::string digits, char separator) {
  if (separator == 0) return digits;
  const size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  for (size_t at = end; at > 3;) {
    at -= 3;
    digits.insert(at, 1, separator);
  }
  return digits;
}

std::string padded(const std::string& sign, const std::string& digits, const Spec& spec) {
  const size_t size = sign.size() + digits.size();
  const auto width = static_cast<size_t>(spec.width);
  if (size >= width) return sign + digits;
  const size_t pad = width - size;
  const auto fill = [&](size_t n) { return std::string(n, spec.fill); };
  switch (spec.align) {
    case '<':
      return sign + digits + fill(pad);
    case '^':
      return fill(pad / 2) + sign + digits + fill(pad - pad / 2);
    case '=':
      return sign + fill(pad) + digits;
    default:
      return fill(pad) + sign + digits;
  }
}

/// Python's float_repr: no exponent from 1e-4 to 1e16.
template <class T>
std::string shortest_digits(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 400> text;
  char* const first = text.data();
  char* const last = first + text.size();
  const T v = std::fabs(value);
  const bool plain = v == 0 || (v >= T(1e-4) && v < T(1e16));
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(first, last, value, format).ptr;
  return with_point(std::string(first, end));
}

}  // namespace

std::string python_repr(double value) { return shortest_digits(value); }
std::string python_repr_float32(float value) { return shortest_digits(value); }

std::string python_format(const PythonNumber& value, std::string_view text) {
  const Spec spec = parse_spec(text);
  const bool as_float =
      std::holds_alternative<double>(value) ||
      (spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos);
  bool negative = false;
  std::string digits;
  if (as_float) {
    const double number = std::holds_alternative<double>(value)
                              ? std::get<double>(value)
                              : static_cast<double>(std::get<int64_t>(value));
    negative = std::signbit(number) && !std::isnan(number);
    digits = float_digits(number, spec);
  } else {
    const int64_t number = std::get<int64_t>(value);
    negative = number < 0;
    digits = integer_digits(
        negative ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number),
        spec);
  }
  std::string sign;
  if (negative) {
    sign = "-";
  } else if (spec.sign != '-') {
    sign = spec.sign;
  }
  return padded(sign, grouped(std::move(digits), spec.grouping), spec);
}

std::string python_format_template(
    std::string_view text,
    const std::function<std::optional<PythonNumber>(const std::string& name)>& value_of) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool doubled = at + 1 < text.size() && text[at + 1] == c;
    if ((c != '{' && c != '}') || doubled) {
      result += c;
      if (c == '{' || c == '}') ++at;
      continue;
    }
    if (c == '}') throw ValueError("Single '}' encountered in format string");
    const size_t end = text.find('}', at);
    if (end == std::string_view::npos) throw ValueError("Single '{' encountered in format string");
    std::string_view field = text.substr(at + 1, end - at - 1);
    const size_t colon = field.find(':');
    const std::string_view spec =
        colon == std::string_view::npos ? std::string_view() : field.substr(colon + 1);
    const std::string name(field.substr(0, colon));
    const std::optional<PythonNumber> value = value_of(name);
    if (!value) throw KeyError("'{}'", name);
    result += python_format(*value, spec);
    at = end;
  }
  return result;
}

}  // namespace antler::training
