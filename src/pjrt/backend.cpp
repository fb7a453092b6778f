#include <algorithm>
#include <charconv>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
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
    throw ValueError("Device \"{}\": expected a number after the last colon. Received: \"{}\".",
                     name, index);
  }
  device.plugin.resize(colon);
  return device;
}

/// Returns null and sets `reason` if the graph has no lowering.
std::unique_ptr<PjrtProgram> try_compile(ir::Graph graph, const ProgramOptions& options,
                                         Client& client, Placement placement, std::string& reason) {
  reason = find_unsupported(graph);
  if (!reason.empty()) return nullptr;
  try {
    return std::make_unique<PjrtProgram>(std::move(graph), options.name, client,
                                         std::move(placement));
  } catch (const Unsupported& unsupported) {
    reason = unsupported.what;
    return nullptr;
  }
}

/// Warns once per `what` that one device runs everything. `what` says what needs `count` devices.
void warn_few_devices(const std::string& what, int64_t count, const DeviceName& name, int devices) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (!told.insert(what).second) return;
  logging::warning(
      format("{} {} devices from pjrt:{}:{}; the plug-in has {}. One device runs everything.", what,
             count, name.plugin, name.index, devices));
}

/// The program of a strategy's replicas with one device per replica, starting at `name`. Null if
/// there are no replicas or if they have to share a device.
std::unique_ptr<PjrtProgram> compile_replicas(const ir::Graph& graph, const ProgramOptions& options,
                                              const DeviceName& name, Client& client) {
  const int64_t replicas = replicas_of(graph);
  if (replicas == 1) return nullptr;
  if (name.index + replicas > client.device_count()) {
    warn_few_devices(format("{} replicas need", replicas), replicas, name, client.device_count());
    return nullptr;
  }
  std::vector<int> devices;
  for (int64_t r = 0; r < replicas; ++r) devices.push_back(name.index + static_cast<int>(r));
  std::string reason;
  ir::Graph prepared = prepare(graph, true);
  std::optional<ir::Graph> divided = divide_inputs(prepared);
  const bool is_divided = divided.has_value();
  auto program =
      try_compile(is_divided ? std::move(*divided) : std::move(prepared), options, client,
                  Placement::of_replicas(std::move(devices), is_divided), reason);
  if (program == nullptr)
    logging::warning(format("`{}`: its replicas run on one device: {}", options.name, reason));
  return program;
}

/// The program of a graph that names a mesh, on the devices of the mesh. Null if the graph names no
/// mesh, or if one device has to run it.
std::unique_ptr<PjrtProgram> compile_on_mesh(const ir::Graph& graph, const ProgramOptions& options,
                                             const DeviceName& name, Client& client) {
  std::optional<MeshProgram> program = prepare_for_mesh(graph);
  if (!program || device_count(program->placement.grid) == 1) return nullptr;
  std::vector<int> devices;
  int64_t needed = 0;
  for (const int64_t device : program->placement.grid.devices) {
    devices.push_back(name.index + static_cast<int>(device));
    needed = std::max(needed, device + 1);
  }
  if (name.index + needed > client.device_count()) {
    warn_few_devices(format("A mesh of {} devices needs", devices.size()), needed, name,
                     client.device_count());
    return nullptr;
  }
  std::string reason;  // compile() reports it
  return try_compile(std::move(program->graph), options, client,
                     Placement(std::move(devices), std::move(program->placement)), reason);
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
    if (auto program = compile_replicas(graph, options, name, client)) return program;
    if (auto program = compile_on_mesh(graph, options, name, client)) return program;
    return try_compile(prepare(graph), options, client, Placement({name.index}), reason);
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
} const kRegistration;

}  // namespace
}  // namespace antler::pjrt

/// The link options of the library make the linker look for this name, so that it includes the
/// object file with the registration.
extern "C" {
extern const int kAntlerPjrtIsLinked;
const int kAntlerPjrtIsLinked = 1;
}
