#include <charconv>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/runtime/device.h"
#include "pjrt/client.h"
#include "pjrt/device_program.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/lowering.h"

namespace antler::pjrt {
namespace {

/// The parts of "pjrt:PLUGIN[:K]".
struct DeviceName {
  std::string plugin;
  int index = 0;
};

DeviceName parse_device(const std::string& name) {
  constexpr std::string_view kPrefix = "pjrt:";
  DeviceName device{name.substr(kPrefix.size())};
  const size_t colon = device.plugin.rfind(':');
  if (colon == std::string::npos) return device;
  const std::string index = device.plugin.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(index.data(), index.data() + index.size(), device.index);
  if (error != std::errc() || end != index.data() + index.size() || device.index < 0) {
    throw ValueError("Device \"{}\": expected a number behind the last colon. Received: \"{}\".",
                     name, index);
  }
  device.plugin.resize(colon);
  return device;
}

class PjrtBackend final : public runtime::DeviceBackend {
 public:
  std::unique_ptr<runtime::DeviceProgram> compile(const ir::Graph& graph,
                                                  const ProgramOptions& options,
                                                  const std::string& device,
                                                  std::string& reason) override {
    const DeviceName name = parse_device(device);
    Client& client = Client::of(find_plugin(name.plugin));
    if (name.index >= client.device_count()) {
      throw ValueError("There is no device \"{}\": the plug-in has {} device(s).", device,
                       client.device_count());
    }
    ir::Graph prepared = prepare(graph);
    reason = find_unsupported(prepared);
    if (!reason.empty()) return nullptr;
    try {
      return std::make_unique<PjrtProgram>(std::move(prepared), options.name, client, name.index);
    } catch (const Unsupported& unsupported) {
      reason = unsupported.what;
      return nullptr;
    }
  }

  std::vector<runtime::DeviceInfo> devices(const std::string& device) override {
    const DeviceName name = parse_device(device);
    const Client& client = Client::of(find_plugin(name.plugin));
    std::vector<runtime::DeviceInfo> list;
    for (int i = 0; i < client.device_count(); ++i) {
      list.push_back(client.info(i));
      list.back().name = format("pjrt:{}:{}", name.plugin, i);
    }
    return list;
  }
};

struct Registration {
  Registration() {
    static PjrtBackend backend;
    runtime::set_device_backend(&backend);
  }
} const registration;

}  // namespace
}  // namespace antler::pjrt

/// The library's interface has the linker look for this name, so that it takes the object with the
/// registration.
extern "C" {
extern const int antler_pjrt_is_linked;
const int antler_pjrt_is_linked = 1;
}
