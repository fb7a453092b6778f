#include "antler/base/format.h"

#include <fmt/args.h>

#include "antler/base/error.h"

namespace antler {

FormatArg::~FormatArg() = default;

Error::Error(std::string_view pattern, std::initializer_list<FormatArg> arguments)
    : std::runtime_error(format_arguments(pattern, arguments)) {}

std::string format_arguments(std::string_view pattern, std::initializer_list<FormatArg> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArg& argument : arguments) {
    switch (argument.kind()) {
      case FormatArg::Kind::string:
        store.push_back(argument.string());
        break;
      case FormatArg::Kind::boolean:
        store.push_back(argument.integer() != 0);
        break;
      case FormatArg::Kind::character:
        store.push_back(static_cast<char>(argument.integer()));
        break;
      case FormatArg::Kind::integer:
        store.push_back(argument.integer());
        break;
      case FormatArg::Kind::unsigned_integer:
        store.push_back(static_cast<uint64_t>(argument.integer()));
        break;
      case FormatArg::Kind::real:
        if (argument.is_single()) {
          store.push_back(static_cast<float>(argument.real()));
        } else {
          store.push_back(argument.real());
        }
        break;
    }
  }
  return fmt::vformat(pattern, store);
}

}  // namespace antler
