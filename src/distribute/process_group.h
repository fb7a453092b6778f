#pragma once

#include <cstdint>
#include <memory>

#include "antler/ops/communicator.h"

namespace antler::distribution {

/// The processes that train together, and the number of this one.
int64_t num_processes();
int64_t process_id();
/// Makes `group` the communicator of this process, and takes over the random seeds of process 0:
/// all processes must draw the same shuffles, even if the user sets no seed.
void set_process_group(std::shared_ptr<ops::Communicator> group);

}  // namespace antler::distribution
