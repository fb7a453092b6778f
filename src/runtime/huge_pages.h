#pragma once

#include <cstddef>

namespace antler {

/// Asks the system to back a large, still unused block of memory with huge pages. A step that uses
/// more memory than a core's TLB covers would otherwise wait for page walks. Has no effect on
/// systems without huge pages.
void prefer_huge_pages(void* data, size_t bytes);

}  // namespace antler
