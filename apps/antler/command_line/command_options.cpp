#include "command_line/command_options.h"

#include <algorithm>

#include <fmt/format.h>

namespace antler::cli {
namespace {

/// The type without the names of checks: "INT" of "INT:POSITIVE".
std::string plain_type(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

/// Reads to the end, because CLI11 does not say how many there are.
std::vector<CLI::Validator*> checks_of(CLI::Option& option) {
  std::vector<CLI::Validator*> checks;
  try {
    for (int i = 0;; ++i) checks.push_back(option.get_validator(i));
  } catch (const CLI::OptionNotFound&) {
    return checks;
  }
}

CLI::Option* copy_option(CLI::App& to, CLI::Option& from, const std::string& name) {
  const std::string help = from.get_description();
  if (!takes_value(from)) return to.add_flag(name, help);
  CLI::Option* option = to.add_option(name, help);
  option->type_name(plain_type(from))
      ->expected(from.get_expected_min(), from.get_expected_max())
      ->allow_extra_args(from.get_allow_extra_args())
      ->delimiter(from.get_delimiter());
  for (const CLI::Validator* check : checks_of(from)) option->check(*check);
  return option;
}

std::string as_argument(const CLI::Option& option, const std::string& value) {
  if (!option.get_lnames().empty()) return fmt::format("--{}={}", option.get_lnames()[0], value);
  // After a short name, "=" would be a part of the value.
  if (!option.get_snames().empty()) return fmt::format("-{}{}", option.get_snames()[0], value);
  return value;
}

}  // namespace

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() != 0; }

std::vector<CLI::Option*> copy_options(CLI::App& to, CLI::App& from,
                                       const std::vector<std::string>& except) {
  std::vector<CLI::Option*> copies;
  for (CLI::Option* option : from.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    const bool excluded = std::find(except.begin(), except.end(), name) != except.end();
    if (excluded || to.get_option_no_throw(name) != nullptr) continue;
    copies.push_back(copy_option(to, *option, name));
  }
  return copies;
}

std::vector<std::string> passed_on(const CLI::Option& option) {
  std::vector<std::string> arguments;
  for (const std::string& value : option.results()) {
    arguments.push_back(as_argument(option, value));
  }
  return arguments;
}

std::string setting_name(const CLI::Option& option) {
  std::string name = option.get_single_name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string check_value(CLI::Option& option, std::string value) {
  for (const CLI::Validator* check : checks_of(option)) {
    const std::string wrong = (*check)(value);
    if (wrong.empty()) continue;
    // CLI11 writes the limits of an unlimited range with 300 digits.
    constexpr size_t kReadable = 120;
    return wrong.size() > kReadable ? value + " is not a possible value" : wrong;
  }
  return "";
}

Json given_options(const CLI::App& command) {
  Json given = Json::object();
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    given[setting_name(*option)] = fmt::format("{}", fmt::join(option->results(), ","));
  }
  return given;
}

}  // namespace antler::cli
