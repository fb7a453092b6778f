#pragma once

#include <memory>

#include "antler/core/variable.h"

namespace antler {

/// The value of a variable in the memory of an accelerator. Programs that run there leave the
/// values that they compute with; the variable fetches one when somebody asks for it.
class DeviceValue {
 public:
  virtual ~DeviceValue() = default;
  /// Writes the value, row-major, to `memory`; returns when it is there. Throws what the device
  /// reports.
  virtual void copy_to(void* memory) = 0;
};

/// The variable's value on a device; null if there is none, or if the variable was assigned since.
std::shared_ptr<DeviceValue> device_value(const Variable& variable);
/// Keeps `value` beside the value in the host's memory. If it is newer, that one is replaced when
/// it is next read.
void set_device_value(const Variable& variable, std::shared_ptr<DeviceValue> value, bool is_newer);

}  // namespace antler
