// The manual page, made from the help texts: `antler manual | man -l -`.
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "antler/version.h"
#include "command_line/command.h"
#include "help/command_texts.h"

namespace antler::cli {
namespace {

/// Text of a man page: hyphens that can be copied, no accidental requests.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

/// An entry: the option or argument as help shows it, and its text below.
std::string entry(const CLI::Option& option) {
  const CLI::Formatter formatter;
  const std::string name = formatter.make_option_name(&option, option.get_positional());
  const std::string values = formatter.make_option_opts(&option);
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name), roff(values),
                     roff(option.get_description()));
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : command.get_options()) {
      const bool is_help = option == command.get_help_ptr();
      if (option->get_positional() == positional && !is_help) text += entry(*option);
    }
  }
  return text;
}

/// A section of a command and of its subcommands.
std::string section(const std::string& name, const CLI::App& command) {
  std::string usage = name;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      usage += " " + CLI::Formatter().make_option_usage(option);
    }
  }
  std::string text = fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR [OPTIONS]\n", roff(name),
                                 roff(command.get_description()), roff(usage));
  text += options_of(command);
  for (const CLI::App* inner : listed_commands(command)) {
    text += section(name + " " + inner->get_name(), *inner);
  }
  return text;
}

std::string man_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH ANTLER 1 \"\" \"antler {}\" \"User Commands\"\n"
      ".SH NAME\nantler \\- train and apply Keras models without Python\n"
      ".SH SYNOPSIS\n\\fBantler\\fR [OPTIONS] COMMAND [ARGUMENTS]\n"
      ".SH DESCRIPTION\n.nf\n{}\n.fi\n.SH OPTIONS\n{}.SH COMMANDS\n",
      ANTLER_VERSION, roff(app.get_description()), options_of(app));
  for (const CLI::App* command : listed_commands(app)) {
    text += section("antler " + command->get_name(), *command);
  }
  return text + ".SH EXIT STATUS\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
}

}  // namespace

void add_manual(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "manual", "Prints all of this help as a man page. Use: antler manual | man -l -");
  command->callback([&run, &app] {
    run = [&app] {
      std::fputs(man_page(app).c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace antler::cli
