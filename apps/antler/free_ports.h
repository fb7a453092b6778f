#pragma once

#include <cstddef>
#include <vector>

namespace antler::cli {

/// Different TCP ports of this machine that nobody uses at the moment. Another program may take one
/// before it is used. Throws RuntimeError if there are not enough.
std::vector<int> free_ports(size_t count);

}  // namespace antler::cli
