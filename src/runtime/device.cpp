#include "antler/runtime/device.h"

#include <mutex>
#include <set>

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "antler/base/logging.h"
#include "antler/ir/graph.h"
#include "antler/runtime/config.h"

namespace antler::runtime {
namespace {

DeviceBackend*& backend_slot() {
  static DeviceBackend* backend = nullptr;
  return backend;
}

/// Warns once per reason that a program runs on the CPU.
void warn_once(const std::string& device, const std::string& program, const std::string& reason) {
  static std::mutex mutex;
  static auto* const known = new std::set<std::string>;
  {
    const std::lock_guard lock(mutex);
    if (!known->insert(reason).second) return;
  }
  logging::warning(format("`{}` runs on the CPU instead of {}: {}", program, device, reason));
}

}  // namespace

void set_device_backend(DeviceBackend* backend) { backend_slot() = backend; }

DeviceBackend& device_backend() {
  if (DeviceBackend* const backend = backend_slot()) return *backend;
  throw ValueError(
      "The device \"{}\" needs antler::pjrt, which this program does not link: add it to "
      "target_link_libraries().",
      config::device());
}

std::unique_ptr<DeviceProgram> compile_for_device(const ir::Graph& graph,
                                                  const ProgramOptions& options) {
  const std::string& device = config::device();
  if (device == "cpu") return nullptr;
  std::string reason;
  auto program = device_backend().compile(graph, options, device, reason);
  if (program == nullptr) warn_once(device, options.name, reason);
  return program;
}

}  // namespace antler::runtime
