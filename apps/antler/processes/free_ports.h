#pragma once

#include <cstddef>
#include <vector>

namespace antler::cli {

/// Distinct TCP ports of this machine that are currently free. Another program may take one before
/// it is used. Throws RuntimeError if there are not enough.
std::vector<int> free_ports(size_t count);

}  // namespace antler::cli
