#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/distribute/cross_device_ops.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Options of MirroredStrategy.
struct MirroredOptions {
  CrossDeviceOps cross_device_ops = {};                 ///< accepted; makes no difference
  UnevenBatches uneven_batches = UnevenBatches::exact;  ///< how their rows count
};

/// Synchronous training on several replicas in one process (TensorFlow's MirroredStrategy). Each
/// replica gets its share of the global batch. Gradients and metrics are summed over all replicas,
/// so results equal those of one device up to rounding. As in Keras, batch normalization uses the
/// statistics of the rows of a replica.
///
/// The replicas are virtual CPU devices of this machine. Their steps are compiled into one program.
class MirroredStrategy : public Strategy {
 public:
  /// One replica.
  explicit MirroredStrategy(const MirroredOptions& options = {});
  /// Throws ValueError unless replicas >= 1.
  explicit MirroredStrategy(int64_t replicas, const MirroredOptions& options = {});
  /// One replica per device: `MirroredStrategy({"CPU:0", "CPU:1"})`. Throws ValueError for an empty
  /// list, a device given twice, and anything but CPU devices.
  explicit MirroredStrategy(const std::vector<std::string>& devices,
                            const MirroredOptions& options = {});
};

}  // namespace antler::distribute
