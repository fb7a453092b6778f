#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Synchronous training on several replicas in one process that share one copy of the variables.
/// Virtual CPU devices share one memory, so this is the same as MirroredStrategy.
class CentralStorageStrategy : public Strategy {
 public:
  /// Throws ValueError unless replicas >= 1.
  explicit CentralStorageStrategy(int64_t replicas = 1,
                                  UnevenBatches uneven_batches = UnevenBatches::exact);
  /// Throws ValueError for an empty list, a device given twice, and anything but CPU devices.
  explicit CentralStorageStrategy(const std::vector<std::string>& compute_devices,
                                  UnevenBatches uneven_batches = UnevenBatches::exact);
};

}  // namespace antler::distribute
