#include "cluster/channels.h"

#include <string>
#include <string_view>

#include "antler/base/file.h"

namespace antler::cluster {
namespace {

constexpr const char* kDigestKey = "antler-cluster";
constexpr const char* kProofKey = "antler-proof";
/// Milliseconds of silence during a call before the peer is asked for a sign of life, and for which
/// that may take. A machine that is cut off closes no connection, and most calls have no time
/// limit.
constexpr int kKeepaliveTime = 5000;
constexpr int kKeepaliveTimeout = 10000;

/// The value of a metadata key that the caller sent exactly once; "" otherwise.
std::string_view sent(const grpc::ServerContext& context, const char* key) {
  const auto& metadata = context.client_metadata();
  if (metadata.count(key) != 1) return {};
  const grpc::string_ref value = metadata.find(key)->second;
  return {value.data(), value.size()};
}

/// Compares in constant time, so that the time does not tell where two strings differ.
bool equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

}  // namespace

std::shared_ptr<grpc::Channel> make_channel(const Members& members, int64_t member) {
  grpc::ChannelArguments arguments;
  // Reconnect soon: a peer that has just started is found within a second.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTime);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeout);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no limit
  // Connect to peers directly, even if http_proxy is set.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  // Groups within one process do not share connections.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (members.tls) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = read_file(members.tls->root);
    options.pem_private_key = read_file(members.tls->key);
    options.pem_cert_chain = read_file(members.tls->certificate);
    credentials = grpc::SslCredentials(options);
  }
  return grpc::CreateCustomChannel(members.addresses[static_cast<size_t>(member)], credentials,
                                   arguments);
}

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Members& members) {
  if (!members.tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = read_file(members.tls->root);
  options.pem_key_cert_pairs.push_back(
      {read_file(members.tls->key), read_file(members.tls->certificate)});
  return grpc::SslServerCredentials(options);
}

void answer_keepalives(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kKeepaliveTime / 2);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);  // no limit
}

void sign(grpc::ClientContext& context, const Members& members) {
  context.AddMetadata(kDigestKey, members.digest);
  context.AddMetadata(kProofKey, members.proof);
}

grpc::Status check(const grpc::ServerContext& context, const Members& members) {
  if (!equal(sent(context, kDigestKey), members.digest))
    return {grpc::StatusCode::PERMISSION_DENIED, "its list of addresses differs"};
  if (!equal(sent(context, kProofKey), members.proof))
    return {grpc::StatusCode::PERMISSION_DENIED, "its token differs"};
  return grpc::Status::OK;
}

}  // namespace antler::cluster
