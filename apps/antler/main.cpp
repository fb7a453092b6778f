// The command line tool.
#include <cstdio>
#include <exception>

#include "antler/base/error.h"
#include "antler/version.h"
#include "command_line/command.h"

namespace antler::cli {
namespace {

std::vector<std::string> g_arguments;

int run_command(int argc, char** argv) {
  g_arguments.assign(argv + 1, argv + argc);
  CLI::App app(
      "Antler trains Keras models without Python, compiled to native code.\n\n"
      "  antler inspect data.csv                  # describes the data\n"
      "  antler train data.csv --target price     # a network for the data, trained\n"
      "  antler predict data.keras new.csv\n");
  app.set_version_flag("--version", "antler " ANTLER_VERSION);
  // Commands added below have the same footer and rules.
  app.footer("Exit codes: 0 success, 1 failure, 2 wrong command line, 130 stopped by Ctrl-C.");
  app.fallthrough();
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.set_config("--config", "",
                 "A TOML file with options of commands, for example the lines [fit] and epochs=20; "
                 "the command line has precedence")
      ->option_text("FILE");
  app.require_subcommand(1);
  Run run;
  add_inspect(app, run);
  add_train(app, run);
  add_new(app, run);
  add_fit(app, run);
  add_tune(app, run);
  add_evaluate(app, run);
  add_predict(app, run);
  add_summary(app, run);
  add_convert(app, run);
  add_plot(app, run);
  add_compare(app, run);
  add_bench(app, run);
  add_info(app, run);
  add_launch(app, run);
  add_server(app, run);
  add_estimator(app, run);
  add_list(app, run);
  add_completion(app, run);
  add_manual(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const int code = run ? run() : 0;
  // The disk may be full or the pipe closed.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw IOError("Cannot write to the standard output.");
  }
  return code;
}

}  // namespace

const std::vector<std::string>& arguments() { return g_arguments; }

}  // namespace antler::cli

int main(int argc, char** argv) {
  try {
    return antler::cli::run_command(argc, argv);
  } catch (const antler::Error& error) {
    std::fprintf(stderr, "antler: %s: %s\n", error.class_name(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "antler: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "antler: unknown error\n");
  }
  return 1;
}
