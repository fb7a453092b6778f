#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "command_line/command.h"
#include "help/command_texts.h"
#include "processes/remote_command.h"

namespace antler::cli {
namespace {

std::string words_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// "--json --out".
std::string option_names(const std::vector<OptionText>& options) {
  std::string names;
  for (const OptionText& option : options) names += (names.empty() ? "" : " ") + option.name;
  return names;
}

/// The options that take one of several fixed values, and these values, joined by spaces.
std::map<std::string, std::string> choices(const std::vector<CommandText>& commands) {
  std::map<std::string, std::string> all;
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      if (!option.choices.empty()) all[option.name] = words_of(option.choices);
    }
  }
  return all;
}

std::string bash_script(const CLI::App& app) {
  const std::vector<CommandText> commands = command_texts(app);
  std::string names;
  std::string cases;
  for (const CommandText& command : commands) {
    names += command.name + " ";
    cases += fmt::format("    {}) options=\"{}\" words=\"{}\" ;;\n", command.name,
                         option_names(command.options), words_of(command.words));
  }
  names += option_names(option_texts(app));
  std::string values;
  for (const auto& [option, words] : choices(commands)) {
    values += fmt::format("    {}) words=\"{}\" ;;\n", option, words);
  }
  return fmt::format(R"(# Completion for antler; made by `antler completion bash`.
_antler() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options= words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "{}" -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case ${{COMP_WORDS[COMP_CWORD - 1]}} in
{}  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *) if [ -n "$words" ]; then
         mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
       else
         compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word")
       fi ;;
  esac
}}
complete -F _antler antler
)",
                     names, cases, values);
}

/// "'--json:Print ...' ...": items for zsh's _describe.
std::string zsh_items(const std::vector<OptionText>& options) {
  std::string items;
  for (const OptionText& option : options) {
    items += shell_quote(option.name + ":" + option.help) + " ";
  }
  return items;
}

std::string zsh_script(const CLI::App& app) {
  const std::vector<CommandText> commands = command_texts(app);
  std::string names;
  std::string cases;
  for (const CommandText& command : commands) {
    names += shell_quote(command.name + ":" + command.help) + " ";
    cases += fmt::format("    {}) items=({}) values=({}) ;;\n", command.name,
                         zsh_items(command.options), words_of(command.words));
  }
  names += zsh_items(option_texts(app));
  std::string values;
  for (const auto& [option, words] : choices(commands)) {
    values += fmt::format("    {}) values=({}) ;;\n", option, words);
  }
  return fmt::format(R"(#compdef antler
# Completion for antler; made by `antler completion zsh`.
_antler() {{
  local -a items values
  if (( CURRENT == 2 )); then
    items=({})
    _describe command items
    return
  fi
  case $words[2] in
{}  esac
  case $words[CURRENT-1] in
{}  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option items
  elif (( $#values )); then
    compadd -- $values
  else
    _files
  fi
}}
if [[ $funcstack[1] == _antler ]]; then _antler "$@"; else compdef _antler antler; fi
)",
                     names, cases, values);
}

/// Quotes a string so that fish reads it as one word.
std::string fish_quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string script = "# Completion for antler; made by `antler completion fish`.\n";
  const auto add_options = [&](const std::string& condition,
                               const std::vector<OptionText>& options) {
    for (const OptionText& option : options) {
      script += fmt::format("complete -c antler -n {} -l {} -d {}", condition,
                            option.name.substr(2), fish_quote(option.help));
      if (!option.choices.empty()) {
        script += " -x -a " + fish_quote(words_of(option.choices));
      } else if (option.takes_value) {
        script += " -r";
      }
      script += "\n";
    }
  };
  add_options("__fish_use_subcommand", option_texts(app));
  for (const CommandText& command : command_texts(app)) {
    script += fmt::format("complete -c antler -n __fish_use_subcommand -f -a {} -d {}\n",
                          command.name, fish_quote(command.help));
    const std::string condition = "'__fish_seen_subcommand_from " + command.name + "'";
    add_options(condition, command.options);
    if (!command.words.empty()) {
      script += fmt::format("complete -c antler -n {} -f -a {}\n", condition,
                            fish_quote(words_of(command.words)));
    }
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "completion",
      "Prints a completion script for a shell. Use: source <(antler completion bash)");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&run, &app, shell] {  // keeps `shell` alive for the option
    run = [&app, shell] {
      const std::string script = *shell == "bash"  ? bash_script(app)
                                 : *shell == "zsh" ? zsh_script(app)
                                                   : fish_script(app);
      std::fputs(script.c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace antler::cli
