#pragma once

#include <cstddef>

namespace antler {

/// Asks the system to back large, not yet used memory with huge pages. A step that uses more memory
/// than a core's TLB covers would otherwise wait for page walks. Has no effect where the system has
/// no huge pages.
void prefer_huge_pages(void* data, size_t bytes);

}  // namespace antler
