#include "cluster/gate.h"

#include <algorithm>
#include <cstddef>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "cluster/channels.h"

namespace antler::cluster {
namespace {

/// At most this many unknown callers are logged.
constexpr size_t kMostStrangers = 100;

}  // namespace

grpc::Status Gate::admit(const grpc::ServerContext& context) {
  const grpc::Status status = check(context, members_);
  if (status.ok()) return status;
  std::string caller = context.peer();
  // Drop the port, which differs from connection to connection.
  caller.erase(std::min(caller.rfind(':'), caller.size()));
  const std::lock_guard lock(mutex_);
  if (strangers_.size() < kMostStrangers && strangers_.insert(caller).second) {
    logging::warning(format("cluster: {} refused a call from {}: {}", members_.name(members_.rank),
                            caller, status.error_message()));
  }
  return status;
}

std::unique_ptr<grpc::Server> listen(const Members& members, grpc::Service& service) {
  const std::string& address = members.addresses[static_cast<size_t>(members.rank)];
  int port = 0;
  grpc::ServerBuilder builder;
  // Without this, two processes could listen on one port.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  answer_keepalives(builder);
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort(address, server_credentials(members), &port);
  builder.RegisterService(&service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    throw UnavailableError("{} cannot listen on its address. Is it in use?",
                           members.name(members.rank));
  }
  return server;
}

void warn_without_tls(const Members& members) {
  if (members.tls) return;
  logging::warning(format("cluster: {} listens without TLS: use it in trusted networks only",
                          members.name(members.rank)));
}

}  // namespace antler::cluster
