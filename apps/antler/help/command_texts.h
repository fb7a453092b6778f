#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// The texts of the command line's help, for completion scripts and the manual.
namespace antler::cli {

struct OptionText {
  std::string name;  ///< "--epochs"
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices;  ///< empty: any value
};

struct CommandText {
  std::string name;
  std::string help;
  std::vector<OptionText> options;
  std::vector<std::string> words;  ///< subcommands or choices of a positional argument
};

/// The commands that the help lists, in the same order.
std::vector<CommandText> command_texts(const CLI::App& app);
/// The options of one command, without those of its subcommands.
std::vector<OptionText> option_texts(const CLI::App& command);

/// The subcommands that the help lists, in the same order.
std::vector<const CLI::App*> listed_commands(const CLI::App& app);
/// The possible values of an option or argument: names from the library, or the values of IsMember.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace antler::cli
