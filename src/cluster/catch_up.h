#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "antler/ops/communicator.h"

namespace antler::cluster {

/// The progress of a member of a new group.
struct Progress {
  static constexpr int64_t kNoState = -1;
  int64_t events = kNoState;  ///< completed by the process
  bool admits = false;        ///< whether it is ready to admit others
};

struct CaughtUp {
  int64_t events = Progress::kNoState;  ///< the most that a member has completed
  bool all_admit = false;               ///< whether all members that have a state admit others
  /// What this process is missing: the result of the last event if others have completed it, or the
  /// others' state if this process has none.
  std::optional<std::string> missed;
};

/// The first exchange of a new group, called by all members together. `last_result` returns the
/// result of this process's last event; `state` returns everything that another process needs to
/// continue after that event. Throws what collectives throw.
CaughtUp catch_up(ops::Communicator& group, const Progress& own,
                  const std::function<std::string()>& last_result,
                  const std::function<std::string()>& state);

}  // namespace antler::cluster
