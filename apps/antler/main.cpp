// antler: the command line.

#include <cstdio>
#include <exception>

#include "antler/base/error.h"
#include "command.h"

// Exit codes: 0 done, 1 the work failed, 2 the command line is wrong, 130 stopped by Ctrl-C.

int main(int argc, char** argv) {
  CLI::App app(
      "Antler trains Keras models, compiled, without Python.\n\n"
      "  antler new model.keras data.csv --target price     a network that fits the data\n"
      "  antler fit model.keras data.csv --out trained.keras\n"
      "  antler predict trained.keras new.csv\n");
  app.set_version_flag("--version", std::string("antler ") + ANTLER_VERSION);
  app.require_subcommand(1);
  antler::cli::Run run;
  antler::cli::add_new(app, run);
  antler::cli::add_fit(app, run);
  antler::cli::add_evaluate(app, run);
  antler::cli::add_predict(app, run);
  antler::cli::add_summary(app, run);
  antler::cli::add_convert(app, run);
  antler::cli::add_info(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return run ? run() : 0;
  } catch (const antler::Error& error) {
    std::fprintf(stderr, "antler: %s: %s\n", error.class_name(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "antler: %s\n", error.what());
  }
  return 1;
}
