#pragma once

#include <optional>
#include <string>

#include "cluster/members.h"
#include "cluster/store.h"

namespace antler::cluster {

/// Waits until all processes have started, and agrees with them on a group; every ten seconds a
/// warning names those that are missing. Returns the name of the group, a prefix of its keys in the
/// store: a process that starts again later is in no group until worker 0 opens a new one.
///
/// Throws DeadlineExceededError after `seconds`; no value is no limit.
std::string join_group(Store& store, const Members& members, std::optional<double> seconds);

}  // namespace antler::cluster
