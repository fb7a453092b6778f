#include "runtime/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace antler {
namespace {

/// Smaller memory has few pages, and would waste the last one.
constexpr size_t kLeastBytes = size_t{8} << 20;

}  // namespace

void prefer_huge_pages(void* data, size_t bytes) {
  if (bytes < kLeastBytes) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(data) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace antler
