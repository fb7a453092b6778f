#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/peers.h"

#include <cluster.pb.h>

/// Which processes of an elastic cluster form the next group. Each process publishes where it
/// stands (Presence) and looks at the others; the first of the last group that is left decides.
namespace antler::cluster {

/// What a process knows about one of the others.
struct Sight {
  PeerState state;
  /// Seconds since it answered last, or since this process began to look.
  double silent = 0;
};

/// One look at the cluster.
struct Outlook {
  int64_t place = 0;  ///< of this process among the addresses
  Presence self;
  std::vector<Sight> others;  ///< in the order of their places
  double seconds = 0;         ///< since this process began to look for a group
  double patience = 1;        ///< seconds after which a process that is silent counts as lost
};

/// The newest decision of any process that this one is to follow; none if there is none for a group
/// after its last one.
std::optional<GroupDecision> decision_for(const Outlook& outlook);

/// Whether the others have gone on without this process, so that it has to join them.
bool is_left_behind(const Outlook& outlook);

/// Whether a group has begun without this process.
bool has_begun(const Outlook& outlook);

/// The next group, if it is this process that decides and all that it depends on is known.
///
/// - At the start: all processes of the cluster, which all want to join.
/// - After a loss: the members of the last group that look for a new one, in the order of their
///   ranks. A member counts as lost if its process has ended, or if it was silent for `patience`.
///   Those that are left must be more than the silent ones, or as many and with the lowest rank:
///   two halves that do not hear of each other never go on both.
/// - If all members admit others, also the processes that wait for the training that they are in.
std::optional<GroupDecision> decide(const Outlook& outlook);

/// Whether so many members are silent that those that answer must not go on.
bool is_minority(const Outlook& outlook);

}  // namespace antler::cluster
