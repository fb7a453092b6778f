#include "help/command_texts.h"

#include <sstream>

#include "command_line/command_options.h"
#include "help/known_names.h"

namespace antler::cli {

std::vector<const CLI::App*> listed_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  for (const std::string& name : option.get_lnames()) {
    const std::string_view kind = kind_of_option("--" + name);
    if (!kind.empty()) return names_of_kind(kind);
  }
  // IsMember shows its values as "TEXT:{a,b}".
  const std::string type = option.get_type_name();
  const size_t from = type.find('{');
  const size_t to = type.rfind('}');
  if (from == std::string::npos || to == std::string::npos) return {};
  std::vector<std::string> choices;
  std::istringstream list(type.substr(from + 1, to - from - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

std::vector<OptionText> option_texts(const CLI::App& command) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      texts.push_back(
          {"--" + name, option->get_description(), takes_value(*option), choices_of(*option)});
    }
  }
  return texts;
}

std::vector<CommandText> command_texts(const CLI::App& app) {
  std::vector<CommandText> texts;
  for (const CLI::App* command : listed_commands(app)) {
    CommandText text{command->get_name(), command->get_description(), option_texts(*command), {}};
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_positional()) continue;
      const std::vector<std::string> choices = choices_of(*option);
      text.words.insert(text.words.end(), choices.begin(), choices.end());
    }
    for (const CLI::App* inner : listed_commands(*command)) {
      text.words.push_back(inner->get_name());
      const std::vector<OptionText> options = option_texts(*inner);
      text.options.insert(text.options.end(), options.begin(), options.end());
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace antler::cli
