#pragma once

#include <cstdint>
#include <memory>

#include <grpcpp/grpcpp.h>

#include "cluster/members.h"

/// The settings that all gRPC connections of a cluster share.
namespace antler::cluster {

/// A channel to a member. It connects on first use, and again whenever the connection breaks.
std::shared_ptr<grpc::Channel> make_channel(const Members& members, int64_t member);
/// The credentials of a server.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const Members& members);

/// Adds the proof of the caller's identity to the call.
void sign(grpc::ClientContext& context, const Members& members);
/// PERMISSION_DENIED unless the caller belongs to the cluster.
grpc::Status check(const grpc::ServerContext& context, const Members& members);

}  // namespace antler::cluster
