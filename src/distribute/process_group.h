#pragma once

#include <cstdint>

namespace antler::distribution {

/// The processes that train together, and the number of this one.
int64_t num_processes();
int64_t process_id();

}  // namespace antler::distribution
