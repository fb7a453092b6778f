#include "antler/distribute/tpu_strategy.h"

#include <algorithm>
#include <memory>

#include "antler/base/error.h"
#include "antler/runtime/config.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {
namespace {

std::string device_of(const std::string& tpu) {
  if (tpu.empty() || tpu == "local")
    return config::device() == "cpu" ? "pjrt:tpu" : config::device();
  if (tpu.starts_with("pjrt:")) return tpu;
  throw NotImplementedError(
      "TPUClusterResolver: `tpu` must be \"pjrt:NAME_OR_PATH\", the plug-in of devices of this "
      "machine. Received: \"{}\".",
      tpu);
}

/// The devices, starting at the resolver's device; at least one.
std::vector<runtime::DeviceInfo> devices_of(const std::string& device) {
  std::vector<runtime::DeviceInfo> devices = runtime::device_backend().devices(device);
  // A name without a number means device 0.
  const auto first = std::find_if(devices.begin(), devices.end(), [&](const auto& info) {
    return info.name == device || info.name == device + ":0";
  });
  if (first == devices.end()) {
    throw NotFoundError("There is no device \"{}\": the plug-in has {} device(s).", device,
                        devices.size());
  }
  devices.erase(devices.begin(), first);
  return devices;
}

int64_t replicas_of(const TPUClusterResolver& resolver, const TPUStrategyOptions& options) {
  if (config::device() != resolver.device()) {
    throw RuntimeError(
        "TPUStrategy: functions run on {}, not on {}. Call `initialize_tpu_system(resolver)` "
        "first.",
        config::device(), resolver.device());
  }
  if (options.experimental_device_assignment)
    return options.experimental_device_assignment->num_replicas();
  return resolver.num_accelerators().at("TPU");
}

}  // namespace

TPUClusterResolver::TPUClusterResolver(const std::string& tpu) : device_(device_of(tpu)) {}

std::map<std::string, int64_t> TPUClusterResolver::num_accelerators() const {
  return {{"TPU", static_cast<int64_t>(devices_of(device_).size())}};
}

TPUStrategy::TPUStrategy(const TPUClusterResolver& resolver, const TPUStrategyOptions& options)
    : Strategy(std::make_shared<const ReplicatedStrategy>(replicas_of(resolver, options),
                                                          UnevenBatches::exact)) {}

Topology initialize_tpu_system(const TPUClusterResolver& resolver) {
  Topology topology{resolver.device(), devices_of(resolver.device())};
  config::set_device(resolver.device());
  return topology;
}

void shutdown_tpu_system() { config::set_device("cpu"); }

DeviceAssignment DeviceAssignment::build(const Topology& topology, int64_t num_replicas) {
  const auto devices = static_cast<int64_t>(topology.devices.size());
  if (num_replicas >= 1 && num_replicas <= devices) return DeviceAssignment(num_replicas);
  throw ValueError("DeviceAssignment: expected 1 to {} replicas, one per device. Received: {}.",
                   devices, num_replicas);
}

}  // namespace antler::distribute
