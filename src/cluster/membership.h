#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/peer_monitor.h"

#include <cluster.pb.h>

/// Decides which processes of an elastic cluster form the next group. Each process publishes its
/// standing (Presence) and polls the others; the first remaining process of the last group decides.
namespace antler::cluster {

/// The result of polling the cluster once.
struct Outlook {
  int64_t place = 0;  ///< of this process among the addresses
  Presence self;
  std::vector<Sight> others;  ///< in the order of their places
  double seconds = 0;   ///< since this process started to look for a group, or its last one failed
  double patience = 1;  ///< seconds after which a silent process counts as lost
  /// Value of `seconds` after which a member counts as lost if it answers but does not look for a
  /// group.
  double limit = 2;
};

/// The newest decision that this process must follow; nullopt unless it is for a group later than
/// this process's last one.
std::optional<GroupDecision> decision_for(const Outlook& outlook);

/// Whether the others have continued without this process, so that it has to join them.
bool is_left_behind(const Outlook& outlook);

/// Whether a group has started without this process.
bool has_begun(const Outlook& outlook);

/// The next group, if this process decides and knows everything that the decision depends on.
///
/// - At the start: all processes of the cluster, once all want to join.
/// - After a loss: the members of the last group that look for a new one, in the order of their
///   ranks. A member counts as lost if its process has ended, if it was silent for `patience`, or
///   if it does not look for a group for `limit`. The process waits for a member that is still
///   connecting to a failed group; lost_member() makes that member give up. The remaining members
///   must outnumber the silent ones, or be as many and include the lowest rank: of two halves that
///   are cut off from each other, only one continues.
/// - If all members admit others: also the processes that wait to join their training, once each
///   process of the cluster has been asked.
std::optional<GroupDecision> decide(const Outlook& outlook);

/// Whether so many members are silent that the others must not continue.
bool is_minority(const Outlook& outlook);

/// A member whose loss keeps a group from continuing, or from being formed while it is connected.
struct LostMember {
  int64_t place = 0;
  const char* reason = "";
};

/// The first member of the group that was silent for the outlook's patience, or whose address now
/// belongs to another process; while the group is connected, also one that has ended or given up on
/// this group. In a running group, the connections report other losses, and sooner. A member that
/// has ended may have done its part before.
std::optional<LostMember> lost_member(const Outlook& outlook, const GroupDecision& group,
                                      bool is_connected);

}  // namespace antler::cluster
