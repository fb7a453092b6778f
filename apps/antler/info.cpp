#include <cstdio>

#include "antler/runtime/config.h"
#include "antler/runtime/info.h"
#include "command.h"

namespace antler::cli {

void add_info(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "info", "Prints version, CPU and its features, threads, and the libraries underneath");
  command->callback([&run] {
    run = [] {
      std::printf("antler   %s\nthreads  %d\n%s", ANTLER_VERSION, config::threads(),
                  to_string(system_info()).c_str());
      return 0;
    };
  });
}

}  // namespace antler::cli
