#pragma once

#include <optional>
#include <string>

#include "cluster/members.h"
#include "cluster/store.h"

namespace antler::cluster {

/// Waits until all processes have started and agrees with them on a group. A warning names the
/// missing ones every ten seconds. Returns the name of the group, which is the prefix of its keys
/// in the store. A process that restarts later does not belong to any group until worker 0 opens a
/// new one.
///
/// Throws DeadlineExceededError after `seconds`; without a value there is no limit.
std::string join_group(Store& store, const Members& members, std::optional<double> seconds);

}  // namespace antler::cluster
