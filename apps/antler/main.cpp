// antler: the command line.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "antler/runtime/config.h"
#include "antler/runtime/info.h"

int main(int argc, char** argv) {
  CLI::App app("Antler: Keras for C++, compiled.");
  app.set_version_flag("--version", std::string("antler ") + ANTLER_VERSION);
  app.require_subcommand(1);
  const CLI::App* info = app.add_subcommand(
      "info", "Prints version, CPU and its features, threads, and the libraries underneath");
  CLI11_PARSE(app, argc, argv);
  if (info->parsed()) {
    std::printf("antler   %s\nthreads  %d\n%s", ANTLER_VERSION, antler::config::threads(),
                antler::to_string(antler::system_info()).c_str());
  }
  return 0;
}
