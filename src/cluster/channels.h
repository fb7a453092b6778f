#pragma once

#include <cstdint>
#include <memory>

#include <grpcpp/grpcpp.h>

#include "cluster/members.h"

/// What all gRPC connections of a cluster have in common.
namespace antler::cluster {

/// A connection to a member; it is made when first used, and again whenever it breaks.
std::shared_ptr<grpc::Channel> make_channel(const Members& members, int64_t member);
/// What a server accepts.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const Members& members);

/// Says who calls.
void sign(grpc::ClientContext& context, const Members& members);
/// PERMISSION_DENIED unless the caller belongs to the cluster.
grpc::Status check(const grpc::ServerContext& context, const Members& members);

}  // namespace antler::cluster
