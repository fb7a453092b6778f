#include <llvm/Config/llvm-config.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "antler/base/format.h"
#include "antler/runtime/info.h"
#include "runtime/cpu/cpu_info.h"
#include "runtime/cpu/gemm/micro_kernel.h"

namespace antler {
namespace {

/// sysconf() with 0 for unknown values.
int64_t system_value(int name) { return std::max(sysconf(name), 0L); }

int usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(system_value(_SC_NPROCESSORS_ONLN));
}

std::string size_string(int64_t bytes) {
  if (bytes == 0) return "unknown";
  if (bytes >= int64_t{1} << 30) return format("{} GiB", bytes >> 30);
  if (bytes >= int64_t{1} << 20) return format("{} MiB", bytes >> 20);
  return format("{} KiB", bytes >> 10);
}

}  // namespace

SystemInfo system_info() {
  SystemInfo info;
  info.cpu = runtime::cpu_model();
  utsname system{};
  if (uname(&system) == 0) info.architecture = system.machine;
  info.features = runtime::cpu_features();
  info.product_kernel = runtime::micro_kernels<float>().name;
  info.cores = usable_cores();
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  info.l1_bytes = system_value(_SC_LEVEL1_DCACHE_SIZE);
  info.l2_bytes = system_value(_SC_LEVEL2_CACHE_SIZE);
  info.l3_bytes = system_value(_SC_LEVEL3_CACHE_SIZE);
#endif
  info.memory_bytes = system_value(_SC_PHYS_PAGES) * system_value(_SC_PAGE_SIZE);
#if defined(__VERSION__)
  info.versions.emplace_back("compiler", __VERSION__);
#endif
  info.versions.emplace_back("LLVM", LLVM_VERSION_STRING);
#if defined(_OPENMP)
  info.versions.emplace_back("OpenMP", std::to_string(_OPENMP));
#endif
  return info;
}

std::string to_string(const SystemInfo& info) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += format("{}: {}\n", name, value.empty() ? "unknown" : value);
  };
  std::string features;
  for (const std::string& f : info.features) features += (features.empty() ? "" : " ") + f;
  line("cpu", info.cpu);
  line("architecture", info.architecture);
  line("features", features);
  line("matrix product", info.product_kernel);
  line("cores", std::to_string(info.cores));
  line("L1 data cache", size_string(info.l1_bytes));
  line("L2 cache", size_string(info.l2_bytes));
  line("L3 cache", size_string(info.l3_bytes));
  line("memory", size_string(info.memory_bytes));
  for (const auto& [name, version] : info.versions) line(name, version);
  return text;
}

}  // namespace antler
