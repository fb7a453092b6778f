#pragma once

#include <cstdint>
#include <random>

namespace antler::cluster {

/// Names something that no other process names the same.
inline uint64_t random_number() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace antler::cluster
