#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/members.h"

namespace antler::cluster {

class Presence;

/// The result of pinging a member.
struct PeerState {
  int64_t rank = 0;
  /// Whether it answered.
  bool alive = false;
  /// Its machine reports that nobody listens on the address: the process has ended.
  bool has_ended = false;
  /// Why it has left the group, or why it did not answer; empty if neither happened.
  std::string failure;
  /// Null for processes that are not elastic.
  std::shared_ptr<const Presence> presence;
};

/// Connections to the servers of all other members. Thread-safe.
class Peers {
 public:
  explicit Peers(const Members& members);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// Pings all others at once and waits up to `seconds` for their answers. Returns states in the
  /// order of ranks, without this process.
  std::vector<PeerState> ping(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cluster
