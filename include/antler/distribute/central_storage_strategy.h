#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Synchronous training on several replicas in one process that share one copy of the variables. On
/// virtual CPU devices, whose memory is one, this is what MirroredStrategy does.
class CentralStorageStrategy : public Strategy {
 public:
  /// Throws ValueError unless replicas >= 1.
  explicit CentralStorageStrategy(int64_t replicas = 1,
                                  UnevenBatches uneven_batches = UnevenBatches::exact);
  /// Throws ValueError for an empty list, a device given twice, and what is not a CPU device.
  explicit CentralStorageStrategy(const std::vector<std::string>& compute_devices,
                                  UnevenBatches uneven_batches = UnevenBatches::exact);
};

}  // namespace antler::distribute
