#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace antler {

/// The machine and the libraries that programs run with. Unknown numbers are 0, unknown names
/// empty.
struct SystemInfo {
  std::string cpu;                    ///< model, e.g. "AMD EPYC 7B13"
  std::string architecture;           ///< "x86_64", "aarch64", ...
  std::vector<std::string> features;  ///< vector extensions that this CPU has, e.g. "avx2", "fma"
  std::string product_kernel;         ///< GEMM micro-kernel chosen for this CPU, e.g. "gemm avx2"
  int cores = 0;                      ///< available to this process
  int64_t l1_bytes = 0;               ///< data cache of one core
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;
  int64_t memory_bytes = 0;
  /// Names and versions of the compiler and the libraries underneath.
  std::vector<std::pair<std::string, std::string>> versions;
};

/// Queried anew on each call.
SystemInfo system_info();

/// One "name: value" line per field.
std::string to_string(const SystemInfo& info);

}  // namespace antler
