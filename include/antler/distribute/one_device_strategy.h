#pragma once

#include <string>

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// One replica, whose variables and computations are on one device.
class OneDeviceStrategy : public Strategy {
 public:
  /// Throws ValueError for anything but a CPU device ("CPU:0").
  explicit OneDeviceStrategy(const std::string& device);
};

}  // namespace antler::distribute
