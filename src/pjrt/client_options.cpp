#include "pjrt/client_options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "antler/base/error.h"

namespace antler::pjrt {
namespace {

/// Whether all of `text` is a number. If so, stores it in `number`.
template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void add_option(ClientOptions& options, std::string_view item) {
  const size_t equals = item.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw ValueError("ANTLER_PJRT_OPTIONS: expected \"name=value,...\". Received: \"{}\".",
                     std::string(item));
  }
  const std::string& name = options.strings.emplace_back(item.substr(0, equals));
  const std::string& text = options.strings.emplace_back(item.substr(equals + 1));
  c_api::NamedValue value;
  value.size = sizeof(value);
  value.name = name.c_str();
  value.name_size = name.size();
  value.count = 1;
  using Type = c_api::NamedValue::Type;
  if (text == "true" || text == "false") {
    value.type = Type::boolean;
    value.boolean = text == "true";
  } else if (parse_number(text, value.integer)) {
    value.type = Type::integer;
  } else if (parse_number(text, value.number)) {
    value.type = Type::number;
  } else {
    value.type = Type::string;
    value.string = text.c_str();
    value.count = text.size();
  }
  options.values.push_back(value);
}

}  // namespace

ClientOptions client_options_from_env() {
  ClientOptions options;
  const char* const text = std::getenv("ANTLER_PJRT_OPTIONS");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    add_option(options, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return options;
}

}  // namespace antler::pjrt
