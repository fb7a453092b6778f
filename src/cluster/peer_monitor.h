#pragma once

#include <memory>
#include <vector>

#include "cluster/members.h"
#include "cluster/peers.h"

namespace antler::cluster {

/// What a process knows about one of the others.
struct Sight {
  PeerState state;
  /// Seconds for which it has not answered this process, up to now. Time in which this process
  /// itself was stopped does not count.
  double silent = 0;
  /// False if it has not been asked since the time passed to look().
  bool is_fresh = true;
};

/// Asks all other members about their state, again and again, in its own thread. Each is asked
/// separately, so one that does not answer delays nothing. Any thread may call look().
class PeerMonitor {
 public:
  /// `patience`: seconds that an answer may take.
  PeerMonitor(const Members& members, double patience);
  ~PeerMonitor();
  PeerMonitor(const PeerMonitor&) = delete;
  PeerMonitor& operator=(const PeerMonitor&) = delete;

  /// The others in the order of their ranks. For those that have not been asked since the moment
  /// `since` (steady_seconds()), only the silence is known, because earlier answers may be
  /// outdated.
  std::vector<Sight> look(double since) const;
  /// Seconds between an answer and the next question.
  void set_pause(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cluster
