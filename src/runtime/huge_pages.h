#pragma once

#include <cstddef>

namespace antler {

/// Asks for huge pages behind memory that is not in use yet, if it is large. A step that goes
/// through more memory than the pages whose addresses a core knows waits for the others' addresses.
/// Without effect where the system has no huge pages.
void prefer_huge_pages(void* data, size_t bytes);

}  // namespace antler
