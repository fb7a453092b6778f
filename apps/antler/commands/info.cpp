#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/runtime/config.h"
#include "antler/runtime/device.h"
#include "antler/runtime/info.h"
#include "antler/version.h"
#include "command_line/command.h"
#include "models/device.h"

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

/// All devices of the chosen kind; empty for the CPU.
std::vector<runtime::DeviceInfo> devices() {
  if (config::device() == "cpu") return {};
  return runtime::device_backend().devices(config::device());
}

Json to_json(const std::vector<runtime::DeviceInfo>& list) {
  Json array = Json::array();
  for (const auto& [name, kind, driver, memory, used] : list) {
    array.push_back({{"name", name},
                     {"kind", kind},
                     {"driver", driver},
                     {"memory", memory},
                     {"memory_used", used}});
  }
  return array;
}

void print(const runtime::DeviceInfo& device) {
  std::printf("device   %s: %s", device.name.c_str(), device.kind.c_str());
  if (device.memory > 0) {
    std::printf(", %.1f of %.1f GiB in use",
                std::ldexp(static_cast<double>(device.memory_used), -30),
                std::ldexp(static_cast<double>(device.memory), -30));
  }
  std::printf(", %s\n", device.driver.c_str());
}

}  // namespace

void add_info(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("info",
                                         "Prints the version, CPU features, number of threads, the "
                                         "libraries in use, and with --device "
                                         "the devices of a plug-in");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print only one line of JSON");
  add_device_option(*command);
  command->callback([&run, json] {
    run = [json] {
      const std::string text = to_string(system_info());
      if (*json) {
        Json object = to_json(text);
        if (const auto list = devices(); !list.empty()) object["devices"] = to_json(list);
        std::printf("%s\n", object.dump().c_str());
      } else {
        std::printf("antler   %s\nthreads  %d\n%s", ANTLER_VERSION, config::threads(),
                    text.c_str());
        for (const runtime::DeviceInfo& device : devices()) print(device);
      }
      return 0;
    };
  });
}

}  // namespace antler::cli
