#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/gloo_group.h"

namespace antler::cluster {

/// Connects groups whose members may be lost meanwhile. Neither Gloo nor gRPC can be interrupted
/// while it waits for a process, so each attempt has its own thread. If the attempt is given up,
/// the thread is left behind and ends after the timeout of a connection.
class GroupConnector {
 public:
  GroupConnector() = default;
  /// Waits for the attempts that were given up.
  ~GroupConnector();
  GroupConnector(const GroupConnector&) = delete;
  GroupConnector& operator=(const GroupConnector&) = delete;

  /// Like connect_group() with the store of the first member, but throws UnavailableError as soon
  /// as `options.lost` returns a reason.
  std::shared_ptr<ops::Communicator> connect(const Members& members, const GroupOptions& options,
                                             const std::shared_ptr<StoreServer>& server,
                                             const std::string& key);

 private:
  struct Attempt;
  std::vector<std::shared_ptr<Attempt>> given_up_;
};

}  // namespace antler::cluster
