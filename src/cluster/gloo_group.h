#pragma once

#include <functional>
#include <memory>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "cluster/members.h"
#include "cluster/store.h"
#include "cluster/store_server.h"

namespace antler::cluster {

/// Options for connecting the processes of a group.
struct GroupOptions {
  double timeout = 30;          ///< of collectives, in seconds
  double connect_timeout = 30;  ///< of the connections between two processes
  /// Called several times per second while this process waits for others to announce themselves;
  /// may throw.
  std::function<void()> check = {};
  /// Called several times per second by a thread of the group. Returns why the group must not
  /// continue, or "". Replaces the health checks.
  std::function<std::string()> lost = {};
  HealthOptions health = {};
  bool shared_memory = true;
  /// Seconds for finding out who is lost after a collective failed; 0: do not ask.
  double ask_time = 3;
};

/// Connects all `members` through the keys in `store` that start with `key`. All call it together.
/// `server` answers for this process. Throws UnavailableError if a member is lost meanwhile.
std::shared_ptr<ops::Communicator> connect_group(const Members& members,
                                                 const GroupOptions& options,
                                                 std::shared_ptr<StoreServer> server, Store& store,
                                                 const std::string& key);

}  // namespace antler::cluster
