#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "antler/base/error.h"
#include "cluster/group_connector.h"
#include "cluster/members.h"
#include "cluster/membership.h"
#include "cluster/peer_monitor.h"
#include "cluster/store_server.h"

namespace antler::cluster {

/// Finds and connects the groups of one process of an elastic cluster, one after another, as
/// membership.h decides. Used by one thread.
class GroupSearch {
 public:
  explicit GroupSearch(const GlooOptions& options);

  /// What the others know about this process, after publish().
  Presence& presence() { return presence_; }
  const Presence& presence() const { return presence_; }
  void publish() { server_->set_presence(presence_); }
  /// "worker 2 (10.0.0.3:2222)".
  std::string name() const { return all_.name(all_.rank); }

  /// Whether a process is waiting to join the training of this one.
  bool somebody_waits() const;

  enum class Reason {
    start,      ///< there was no group yet
    join,       ///< a group is to admit this process
    loss,       ///< the group has lost a member or is to admit others
    late_loss,  ///< the same, after members have had all the time that they get to take part
  };
  /// Begins a search. `limit`: seconds that finding the first group may take.
  void begin(Reason reason, std::optional<double> limit = {});

  /// At the start: the others began before this process came. It now has their seeds.
  struct HasBegun {};
  /// The others have continued without this process.
  struct LeftBehind {};
  /// Returns the next group that could be connected. This process is not a full member of it until
  /// settle(). Throws HasBegun, LeftBehind, UnavailableError if there is no group for this process,
  /// TrainingIsOver, and DeadlineExceededError after the limit given to begin().
  std::shared_ptr<ops::Communicator> next();
  /// The group has caught up: from now on its connections report lost members, and the search is
  /// over.
  void settle();
  /// The group that next() returned could not be formed, because of `error`.
  void give_up(const Error& error);

 private:
  std::shared_ptr<ops::Communicator> search();
  Outlook look() const;
  /// If a group has begun without this process, takes over its seeds.
  bool take_seeds(const Outlook& outlook);
  std::shared_ptr<ops::Communicator> connect(const GroupDecision& decision);
  void check_time(const Outlook& outlook);
  void check_training(const Outlook& outlook);
  std::string missing(const Outlook& outlook) const;

  const Members all_;
  const GlooOptions options_;
  const std::shared_ptr<StoreServer> server_;
  const std::shared_ptr<PeerMonitor> monitor_;
  GroupConnector connector_;
  Presence presence_;
  std::shared_ptr<std::atomic<bool>> is_settled_;  ///< of the group that is being connected

  Reason reason_ = Reason::start;
  std::optional<double> start_limit_;
  double began_ = 0;    ///< when the search began
  double failed_ = 0;   ///< when its last group failed, otherwise when it began
  double settled_ = 0;  ///< when the last search ended
  double warned_ = 0;
  bool has_seen_training_ = false;
};

}  // namespace antler::cluster
