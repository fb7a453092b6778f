#pragma once

#include <memory>
#include <vector>

#include "cluster/members.h"
#include "cluster/peers.h"

namespace antler::cluster {

/// What a process knows about one of the others.
struct Sight {
  PeerState state;
  /// Seconds in which it did not answer questions of this process, up to now. The time in which
  /// this process itself was stopped does not count.
  double silent = 0;
  /// False if it has not been asked since the moment that look() was told.
  bool is_fresh = true;
};

/// Asks all other members where they stand, again and again, in a thread of its own. Each is asked
/// for itself: one that does not answer delays nothing. Any thread may look.
class PeerMonitor {
 public:
  /// `patience`: seconds that an answer may take.
  PeerMonitor(const Members& members, double patience);
  ~PeerMonitor();
  PeerMonitor(const PeerMonitor&) = delete;
  PeerMonitor& operator=(const PeerMonitor&) = delete;

  /// The others in the order of their ranks. Of those that have not been asked since the moment
  /// `since` (steady_seconds()) only the silence is known: what they said before may be outdated.
  std::vector<Sight> look(double since) const;
  /// Seconds between an answer and the next question.
  void set_pause(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cluster
