#pragma once

#include <memory>
#include <string>

#include "cluster/members.h"

namespace antler::cluster {

class Presence;

/// Answers the other processes' calls: stores keys for them (used on worker 0) and answers pings.
/// Thread-safe.
class StoreServer {
 public:
  /// Listens on the address of this process. Throws UnavailableError if that is not possible.
  explicit StoreServer(const Members& members);
  /// Ends all calls.
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  /// From now on, answers to pings give the reason why this process has left the group.
  void set_failure(const std::string& reason);
  /// Sets what answers to pings say about this process.
  void set_presence(const Presence& presence);

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace antler::cluster
