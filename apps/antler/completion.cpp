#include <cstdio>
#include <memory>
#include <string>

#include "command.h"

namespace antler::cli {
namespace {

/// "--json --out": the options of a command.
std::string option_names(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names += (names.empty() ? "--" : " --") + name;
    }
  }
  return names;
}

std::string bash_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += "    " + command->get_name() + ") options=\"" + option_names(*command) + "\" ;;\n";
  }
  return "# Completion for antler; made by `antler completion bash`.\n"
         "_antler() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} options=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"" +
         commands + " " + option_names(app) +
         "\" -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $word in\n"
         "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\") ;;\n"
         "    *) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _antler antler\n";
}

}  // namespace

void add_completion(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "completion",
      "Prints a script that completes commands and options: source <(antler completion bash)");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  command->callback([&run, &app, shell] {  // shell lives as long as the option that writes it
    run = [&app] {
      std::fputs(bash_script(app).c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace antler::cli
