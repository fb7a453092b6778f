#pragma once

#include <memory>

#include "antler/core/variable.h"

namespace antler {

/// The value of a variable in the memory of an accelerator. Programs that run there leave their
/// values on the device. The variable fetches its value when it is read.
class DeviceValue {
 public:
  virtual ~DeviceValue() = default;
  /// Writes the value, row-major, to `memory`; returns when it is there. Throws what the device
  /// reports.
  virtual void copy_to(void* memory) = 0;
};

/// The variable's value on a device; null if there is none, or if the variable was assigned later.
std::shared_ptr<DeviceValue> device_value(const Variable& variable);
/// Keeps `value` beside the value in the host's memory. If it is newer, the host's value is updated
/// when it is next read.
void set_device_value(const Variable& variable, std::shared_ptr<DeviceValue> value, bool is_newer);

}  // namespace antler
