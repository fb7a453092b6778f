#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// What the command line says about itself, for completion scripts and the manual.
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

/// The commands that help lists, in its order.
std::vector<CommandText> command_texts(const CLI::App& app);
/// The options of one command, without those of its subcommands.
std::vector<OptionText> option_texts(const CLI::App& command);

/// The subcommands that help lists, in its order.
std::vector<const CLI::App*> listed_commands(const CLI::App& app);
/// The values that an option or argument may have: names of the library, or those of IsMember.
std::vector<std::string> choices_of(const CLI::Option& option);

}  // namespace antler::cli
