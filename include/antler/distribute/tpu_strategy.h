#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/strategy.h"
#include "antler/runtime/device.h"

namespace antler::distribute {

/// Names the accelerators of this machine (tf.distribute.cluster_resolver.TPUClusterResolver).
class TPUClusterResolver : public ClusterResolver {
 public:
  /// `tpu` is "pjrt:NAME_OR_PATH[:K]", the devices of a plug-in from number K on (see
  /// config::set_device()). "" and "local" mean config::device() if that is not the CPU, else
  /// "pjrt:tpu". Throws NotImplementedError for the name or address of another machine.
  explicit TPUClusterResolver(const std::string& tpu = "");

  /// Empty: this process works alone.
  ClusterSpec cluster_spec() const override { return {}; }
  /// {"TPU": number of devices}. Loads the plug-in, and throws what loading one throws.
  std::map<std::string, int64_t> num_accelerators() const override;
  /// For config::set_device().
  const std::string& device() const { return device_; }

 private:
  std::string device_;
};

/// The devices of an accelerator system (tf.tpu.experimental.Topology).
struct Topology {
  std::string device;  ///< the first one, for config::set_device()
  std::vector<runtime::DeviceInfo> devices;
};

/// Loads the plug-in of the resolver, and selects its device to run functions on
/// (tf.tpu.experimental.initialize_tpu_system). Throws ValueError if the program does not link
/// antler::pjrt, NotFoundError if there is no such plug-in or device.
Topology initialize_tpu_system(const TPUClusterResolver& resolver = TPUClusterResolver());
/// Functions that are compiled later run on the CPU (tf.tpu.experimental.shutdown_tpu_system).
void shutdown_tpu_system();

/// The devices that the replicas of a TPUStrategy use: 0 to num_replicas - 1 of the topology
/// (tf.tpu.experimental.DeviceAssignment, with one device per replica).
class DeviceAssignment {
 public:
  /// Throws ValueError unless 1 <= num_replicas <= number of devices.
  static DeviceAssignment build(const Topology& topology, int64_t num_replicas = 1);
  int64_t num_replicas() const { return num_replicas_; }

 private:
  explicit DeviceAssignment(int64_t num_replicas) : num_replicas_(num_replicas) {}
  int64_t num_replicas_;
};

/// Options of TPUStrategy.
struct TPUStrategyOptions {
  /// Default: one replica per device.
  std::optional<DeviceAssignment> experimental_device_assignment = {};
};

/// Synchronous training on the devices of an accelerator system, such as a TPU's cores or several
/// GPUs (tf.distribute.TPUStrategy):
///
///     const TPUClusterResolver resolver("pjrt:tpu");
///     initialize_tpu_system(resolver);
///     const TPUStrategy strategy(resolver);
///     const auto scope = strategy.scope();
///
/// It works like MirroredStrategy, but each replica has its own device. A step is one program on
/// all devices, and `steps_per_execution` steps are one call. A batch whose rows do not divide
/// evenly runs on the first device.
class TPUStrategy : public Strategy {
 public:
  /// Throws RuntimeError unless initialize_tpu_system() was called for the resolver, and what
  /// loading its plug-in throws.
  explicit TPUStrategy(const TPUClusterResolver& resolver = TPUClusterResolver(),
                       const TPUStrategyOptions& options = {});
};

}  // namespace antler::distribute
