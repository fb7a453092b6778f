#pragma once

#include <span>
#include <utility>

#include "antler/core/variable.h"
#include "pjrt/client.h"

namespace antler::pjrt {

/// A variable's value with a copy on each of several devices.
class MirroredValue final : public DeviceValue {
 public:
  explicit MirroredValue(Buffers copies) : copies_(std::move(copies)) {}
  /// Reads the first copy that can be read.
  void copy_to(void* memory) override;
  const Buffers& copies() const { return copies_; }

 private:
  Buffers copies_;
};

/// The variable's value on each of the devices. It is sent to devices that do not have it.
Buffers value_on_devices(const Variable& variable, Client& client, std::span<const int> devices);

/// Makes `copies`, which a program has computed, the variable's value.
void set_value_on_devices(const Variable& variable, Buffers copies);

}  // namespace antler::pjrt
