#include "runtime/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace antler {
namespace {

/// Smaller allocations have few pages anyway, and most of a last huge page would be wasted.
constexpr size_t kLeastBytes = size_t{8} << 20;

}  // namespace

void prefer_huge_pages(void* data, size_t bytes) {
  if (bytes < kLeastBytes) return;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t skip = (page - reinterpret_cast<uintptr_t>(data) % page) % page;
  madvise(static_cast<std::byte*>(data) + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
}

}  // namespace antler
