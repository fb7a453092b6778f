#pragma once

#include <cstdlib>
#include <string>

namespace antler::test {

/// Prepares the CPU plug-in that the environment variable ANTLER_PJRT_CPU names, before its client
/// opens: sets the number of virtual devices, and of the threads that their collectives need. False
/// if the variable is not set.
inline bool prepare_cpu_plugin(int devices) {
  if (std::getenv("ANTLER_PJRT_CPU") == nullptr) return false;
  const std::string threads = std::to_string(4 * devices);
  setenv("ANTLER_PJRT_OPTIONS", ("cpu_device_count=" + std::to_string(devices)).c_str(), 0);
  setenv("NPROC", threads.c_str(), 0);
  setenv("PJRT_NPROC", threads.c_str(), 0);
  return true;
}

/// Why a test is skipped.
inline constexpr const char* kNoCpuPlugin = "ANTLER_PJRT_CPU does not name a plug-in";

}  // namespace antler::test
