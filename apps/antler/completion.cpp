#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command.h"

namespace antler::cli {
namespace {

/// The options of a command, "--json --out".
std::string option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_script(const CLI::App& app) {
  std::string words;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words += command->get_name() + " ";
    cases +=
        fmt::format("    {}) options=\"{}\" ;;\n", command->get_name(), option_names(*command));
  }
  words += option_names(app);
  return fmt::format(R"(# Completion for antler; made by `antler completion bash`.
_antler() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "{}" -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}}
complete -F _antler antler
)",
                     words, cases);
}

}  // namespace

void add_completion(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "completion", "Prints a shell completion script. Use: source <(antler completion bash)");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  command->callback([&run, &app, shell] {  // keeps `shell` alive for the option
    run = [&app] {
      std::fputs(bash_script(app).c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace antler::cli
