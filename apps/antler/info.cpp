#include <cstdio>
#include <memory>
#include <sstream>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/runtime/config.h"
#include "antler/runtime/info.h"
#include "command.h"

namespace antler::cli {
namespace {

/// Converts lines "name: value" to an object.
Json to_json(const std::string& text) {
  Json object = {{"antler", ANTLER_VERSION}, {"threads", config::threads()}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) object[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return object;
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "info", "Prints the version, CPU features, number of threads, and the libraries in use");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print only one line of JSON");
  command->callback([&run, json] {
    run = [json] {
      const std::string text = to_string(system_info());
      if (*json) {
        std::printf("%s\n", to_json(text).dump().c_str());
      } else {
        std::printf("antler   %s\nthreads  %d\n%s", ANTLER_VERSION, config::threads(),
                    text.c_str());
      }
      return 0;
    };
  });
}

}  // namespace antler::cli
