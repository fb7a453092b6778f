#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/gloo_group.h"

namespace antler::cluster {

/// Connects groups of which a member may be lost meanwhile. Neither Gloo nor gRPC can be
/// interrupted while they wait for a process, so each attempt has a thread of its own, which is
/// left behind when the attempt is given up: it ends after the timeout of a connection.
class GroupConnector {
 public:
  GroupConnector() = default;
  /// Waits for the attempts that were given up.
  ~GroupConnector();
  GroupConnector(const GroupConnector&) = delete;
  GroupConnector& operator=(const GroupConnector&) = delete;

  /// As connect_group() with the store of the first member, but throws UnavailableError as soon as
  /// `options.lost` has a reason.
  std::shared_ptr<ops::Communicator> connect(const Members& members, const GroupOptions& options,
                                             const std::shared_ptr<StoreServer>& server,
                                             const std::string& key);

 private:
  struct Attempt;
  std::vector<std::shared_ptr<Attempt>> given_up_;
};

}  // namespace antler::cluster
