#pragma once

#include <span>
#include <vector>

#include "antler/core/tensor.h"
#include "pjrt/client.h"

namespace antler::pjrt {

/// Values on their way from a device to the host.
class PendingValues {
 public:
  /// Starts to copy them; they arrive after the program that computes them.
  PendingValues(const Buffers& buffers, std::span<const TensorSpec> specs);
  PendingValues(PendingValues&& other) noexcept = default;
  PendingValues& operator=(PendingValues&& other) noexcept;
  PendingValues(const PendingValues&) = delete;
  PendingValues& operator=(const PendingValues&) = delete;
  /// Waits, because the copies write to the values' memory.
  ~PendingValues();

  /// Waits for the values and returns them. Throws the first error of the program or the copies.
  Tensors take();

 private:
  PendingValues() = default;
  void wait_quietly() noexcept;

  Tensors values_;
  std::vector<Event> events_;  ///< one for each value
};

}  // namespace antler::pjrt
