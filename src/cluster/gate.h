#pragma once

#include <mutex>
#include <set>
#include <string>

#include <grpcpp/grpcpp.h>

#include "cluster/members.h"

namespace antler::cluster {

/// Admits calls from the cluster's processes only. Thread-safe.
class Gate {
 public:
  explicit Gate(Members members) : members_(std::move(members)) {}
  /// Refuses callers that do not belong to the cluster. Each is logged once.
  grpc::Status admit(const grpc::ServerContext& context);

 private:
  const Members members_;
  std::mutex mutex_;
  std::set<std::string> strangers_;
};

/// Listens on the address of `members.rank`. Throws UnavailableError if that is not possible.
std::unique_ptr<grpc::Server> listen(const Members& members, grpc::Service& service);
/// Warns if the process listens without TLS.
void warn_without_tls(const Members& members);

}  // namespace antler::cluster
