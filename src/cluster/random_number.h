#pragma once

#include <cstdint>
#include <random>

namespace antler::cluster {

/// A random number that serves as a unique name across processes.
inline uint64_t random_number() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace antler::cluster
