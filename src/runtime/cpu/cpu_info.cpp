#include "runtime/cpu/cpu_info.h"

#include <array>
#include <cstring>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace antler::runtime {

std::string cpu_model() {
#if defined(__x86_64__)
  // The brand string: 48 bytes in three leaves.
  std::array<unsigned, 12> words{};
  if (__get_cpuid_max(0x80000000, nullptr) >= 0x80000004) {
    for (unsigned i = 0; i < 3; ++i) {
      unsigned* w = words.data() + 4 * i;
      __get_cpuid(0x80000002 + i, w, w + 1, w + 2, w + 3);
    }
  }
  std::array<char, sizeof(words) + 1> text{};
  std::memcpy(text.data(), words.data(), sizeof(words));
  std::string name = text.data();
  const size_t first = name.find_first_not_of(' ');
  const size_t last = name.find_last_not_of(' ');
  return first == std::string::npos ? "" : name.substr(first, last - first + 1);
#else
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon != std::string::npos &&
        (line.starts_with("model name") || line.starts_with("Model"))) {
      return line.substr(colon + 2);
    }
  }
  return "";
#endif
}

std::vector<std::string> cpu_features() {
  std::vector<std::string> names;
  const auto add = [&](const char* name, bool has) {
    if (has) names.emplace_back(name);
  };
#if defined(__x86_64__)
  // The compiler's builtin takes literals only.
  add("sse4.2", __builtin_cpu_supports("sse4.2"));
  add("avx", __builtin_cpu_supports("avx"));
  add("f16c", __builtin_cpu_supports("f16c"));
  add("fma", __builtin_cpu_supports("fma"));
  add("avx2", __builtin_cpu_supports("avx2"));
  add("avx512f", __builtin_cpu_supports("avx512f"));
  add("avx512bw", __builtin_cpu_supports("avx512bw"));
  add("avx512dq", __builtin_cpu_supports("avx512dq"));
  add("avx512vl", __builtin_cpu_supports("avx512vl"));
  add("avx512vnni", __builtin_cpu_supports("avx512vnni"));
  add("avx512bf16", __builtin_cpu_supports("avx512bf16"));
#elif defined(__aarch64__) && defined(__linux__)
  const unsigned long caps = getauxval(AT_HWCAP);
  add("asimd", (caps & HWCAP_ASIMD) != 0);
  add("fphp", (caps & HWCAP_FPHP) != 0);
  add("asimddp", (caps & HWCAP_ASIMDDP) != 0);
  add("sve", (caps & HWCAP_SVE) != 0);
#endif
  return names;
}

}  // namespace antler::runtime
