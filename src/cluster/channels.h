#pragma once

#include <cstdint>
#include <memory>

#include <grpcpp/grpcpp.h>

#include "cluster/members.h"

/// The settings that all gRPC connections of a cluster share.
namespace antler::cluster {

/// A channel to a member. It connects on first use, and again whenever the connection breaks. Calls
/// in flight are UNAVAILABLE when the member's process has given no sign of life for 15 seconds.
std::shared_ptr<grpc::Channel> make_channel(const Members& members, int64_t member);
/// The credentials of a server.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const Members& members);

/// Lets a server accept the questions for signs of life that make_channel() asks for.
void answer_keepalives(grpc::ServerBuilder& builder);

/// Adds the proof of the caller's identity to the call.
void sign(grpc::ClientContext& context, const Members& members);
/// PERMISSION_DENIED unless the caller belongs to the cluster.
grpc::Status check(const grpc::ServerContext& context, const Members& members);

}  // namespace antler::cluster
