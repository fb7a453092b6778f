#include "models/device.h"

#include <string>

#include "antler/base/error.h"
#include "antler/runtime/config.h"

namespace antler::cli {

void add_device_option(CLI::App& command) {
  command.add_option_function<std::string>(
      "--device",
      [](const std::string& name) {
        try {
          config::set_device(name);
        } catch (const ValueError& error) {
          throw CLI::ValidationError("--device", error.what());
        }
      },
      "Where to compute: cpu, or pjrt:NAME_OR_PATH[:K] for device K of a PJRT plug-in "
      "(default: the environment variable ANTLER_DEVICE, or cpu)");
}

}  // namespace antler::cli
