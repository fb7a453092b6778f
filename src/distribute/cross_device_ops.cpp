#include "antler/distribute/cross_device_ops.h"

#include "antler/base/error.h"

namespace antler::distribute {

void CrossDeviceOps::check() const {
  if (num_packs_ >= 0) return;
  throw ValueError("{}: `num_packs` must not be negative. Received: {}.", name_, num_packs_);
}

}  // namespace antler::distribute
