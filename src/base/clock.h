#pragma once

#include <chrono>

namespace antler {

/// Seconds since an arbitrary moment; monotonic.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace antler
