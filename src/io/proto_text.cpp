#include "io/proto_text.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "antler/base/error.h"
#include "io/wire.h"
#include "io/wire_reader.h"

namespace antler::io {
namespace {

using Kind = ProtoField::Kind;

constexpr const char* kMessage = "The message";
constexpr int kMaxNesting = 64;

const ProtoField* find_field(const ProtoMessage& type, int number) {
  for (const ProtoField& field : type.fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

const ProtoField* find_field(const ProtoMessage& type, std::string_view name) {
  for (const ProtoField& field : type.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

/// A string as a C literal.
std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '\'') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      for (const int shift : {6, 3, 0}) {
        if (shift == 6) text += '\\';
        text += static_cast<char>('0' + ((byte >> shift) & 7));
      }
    }
  }
  return text + "\"";
}

template <class T>
std::string number_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string integer_text(const ProtoField& field, int64_t value) {
  if (field.kind == Kind::boolean) return value != 0 ? "true" : "false";
  const bool named = field.kind == Kind::enumeration && value >= 0 &&
                     static_cast<size_t>(value) < field.values.size() &&
                     field.values[static_cast<size_t>(value)] != nullptr;
  return named ? field.values[static_cast<size_t>(value)] : std::to_string(value);
}

void print(const ProtoMessage& type, WireReader reader, const std::string& indent,
           std::string& text) {
  if (indent.size() > 2 * kMaxNesting) throw IOError("{} is nested too deeply.", kMessage);
  while (reader.next()) {
    const ProtoField* field = find_field(type, reader.field());
    if (field == nullptr) continue;
    const auto line = [&](const std::string& value) {
      text += indent;
      text += field->name;
      text += ": ";
      text += value;
      text += '\n';
    };
    switch (field->kind) {
      case Kind::message:
        text += indent + field->name + " {\n";
        print(*field->message, reader.message(), indent + "  ", text);
        text += indent + "}\n";
        break;
      case Kind::string:
        line(quoted(reader.bytes()));
        break;
      case Kind::real32: {
        std::vector<float> values;
        reader.append(values);
        for (const float value : values) line(number_text(value));
        break;
      }
      case Kind::real64: {
        std::vector<double> values;
        reader.append(values);
        for (const double value : values) line(number_text(value));
        break;
      }
      case Kind::integer:
      case Kind::boolean:
      case Kind::enumeration: {
        std::vector<int64_t> values;
        reader.append(values);
        for (const int64_t value : values) line(integer_text(*field, value));
        break;
      }
    }
  }
}

class TextParser {
 public:
  explicit TextParser(std::string_view text) : text_(text) {}

  WireWriter message(const ProtoMessage& type, int depth) {
    if (depth > kMaxNesting) fail("it is nested too deeply");
    WireWriter message;
    for (;;) {
      skip_space();
      if (at_ == text_.size() || text_[at_] == '}') {
        if ((depth == 0) != (at_ == text_.size())) fail("braces do not match");
        return message;
      }
      const std::string_view name = word();
      const ProtoField* field = find_field(type, name);
      if (field == nullptr) fail(format("'{}' is not a field here", name));
      take(':');
      if (field->kind == Kind::message) {
        if (!take('{')) fail(format("'{}' is not followed by a brace", name));
        message.message(field->number, this->message(*field->message, depth + 1));
        take('}');
      } else {
        value(*field, message);
      }
      if (!take(',')) take(';');
    }
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    int64_t line = 1;
    for (size_t i = 0; i < at_; ++i) line += text_[i] == '\n' ? 1 : 0;
    throw IOError("The text of a message is wrong in line {}: {}.", line, problem);
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view word() {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '-' &&
          c != '+') {
        break;
      }
      ++at_;
    }
    if (begin == at_) fail("a name or a number is missing");
    return text_.substr(begin, at_ - begin);
  }

  int digits(int base, int most) {
    int value = 0;
    for (int i = 0; i < most && at_ < text_.size(); ++i) {
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : base;
      if (digit >= base) break;
      value = value * base + digit;
      ++at_;
    }
    return value;
  }

  void escaped(std::string& out) {
    static constexpr std::string_view kLetters = "abfnrtv";
    static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v";
    if (at_ == text_.size()) fail("a string does not end");
    const char c = text_[at_];
    if (c >= '0' && c <= '7') {
      out += static_cast<char>(digits(8, 3));
      return;
    }
    ++at_;
    if (c == 'x') {
      out += static_cast<char>(digits(16, 2));
    } else {
      const size_t letter = kLetters.find(c);
      out += letter == std::string_view::npos ? c : kBytes[letter];
    }
  }

  /// Reads a string; adjacent string literals are joined.
  std::string string() {
    std::string out;
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) {
      fail("a string is missing");
    }
    while (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const char quote = text_[at_++];
      while (at_ < text_.size() && text_[at_] != quote) {
        const char c = text_[at_++];
        if (c == '\\') {
          escaped(out);
        } else {
          out += c;
        }
      }
      if (at_ == text_.size()) fail("a string does not end");
      ++at_;
      skip_space();
    }
    return out;
  }

  double real(std::string_view text) const {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (*end != '\0' && std::string_view(end) != "f") fail(format("'{}' is not a number", text));
    return value;
  }

  int64_t integer(const ProtoField& field, std::string_view text) const {
    if (text == "true" || text == "false") return text == "true" ? 1 : 0;
    for (size_t i = 0; i < field.values.size(); ++i) {
      if (field.values[i] != nullptr && field.values[i] == text) return static_cast<int64_t>(i);
    }
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(format("'{}' is not a value of '{}'", text, field.name));
    }
    return value;
  }

  void one_value(const ProtoField& field, WireWriter& message) {
    switch (field.kind) {
      case Kind::string:
        message.bytes(field.number, string());
        break;
      case Kind::real32:
        message.float32(field.number, static_cast<float>(real(word())));
        break;
      case Kind::real64:
        message.float64(field.number, real(word()));
        break;
      default:
        message.integer(field.number, integer(field, word()));
        break;
    }
  }

  void value(const ProtoField& field, WireWriter& message) {
    if (!take('[')) return one_value(field, message);
    while (!take(']')) {
      one_value(field, message);
      take(',');
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string proto_to_text(const ProtoMessage& type, std::string_view message) {
  std::string text;
  print(type, WireReader(message, kMessage), "", text);
  return text;
}

std::string proto_from_text(const ProtoMessage& type, std::string_view text) {
  return TextParser(text).message(type, 0).str();
}

}  // namespace antler::io
