#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"

namespace antler::cli {

/// Adds the options of another command to `to`, with their texts and checks, except those that `to`
/// already has, those in `except`, and positional arguments. They have no effect by themselves;
/// their values are for passed_on(). Returns them.
std::vector<CLI::Option*> copy_options(CLI::App& to, CLI::App& from,
                                       const std::vector<std::string>& except);

/// The given values of an option as arguments, one per value: "--metrics=mae", "--metrics=mse";
/// "-n3" for an option with a short name only. Empty if the option was not given.
std::vector<std::string> passed_on(const CLI::Option& option);

/// "batch_size" for --batch-size; "n" for an option with only the short name -n.
std::string setting_name(const CLI::Option& option);

/// Whether the option takes a value; a flag does not.
bool takes_value(const CLI::Option& option);

/// Applies the option's checks to a value. Returns an error message, or an empty string.
std::string check_value(CLI::Option& option, std::string value);

/// The options that the user gave: setting_name() to value. Several values are joined by commas.
Json given_options(const CLI::App& command);

}  // namespace antler::cli
