#include "cluster/store.h"

#include <algorithm>
#include <chrono>

#include <cluster.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "antler/base/error.h"
#include "base/clock.h"
#include "cluster/channels.h"

namespace antler::cluster {
namespace {

/// Seconds for the round trip of a Get, beyond the time that it waits at the server.
constexpr double kRoundTrip = 2;

[[noreturn]] void throw_status(const grpc::Status& status, const Members& members) {
  if (status.error_code() == grpc::StatusCode::PERMISSION_DENIED) {
    throw ValueError("{} refuses {}: {}.", members.name(0), members.name(members.rank),
                     status.error_message());
  }
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
    throw DeadlineExceededError("{} did not answer in time.", members.name(0));
  throw UnavailableError("{} cannot be reached: {}", members.name(0), status.error_message());
}

}  // namespace

struct Store::Impl {
  Members members;
  std::unique_ptr<Cluster::Stub> stub;

  /// Calls `method` until it is answered, for up to `seconds`.
  template <class Method, class Request, class Reply>
  void call(Method method, const Request& request, Reply& reply, double seconds) const {
    const double end = steady_seconds() + seconds;
    for (;;) {
      grpc::ClientContext context;
      sign(context, members);
      context.set_wait_for_ready(true);
      const double left = std::max(end - steady_seconds(), 0.0);
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::milliseconds(static_cast<int64_t>(left * 1e3)));
      const grpc::Status status = (stub.get()->*method)(&context, request, &reply);
      if (status.ok()) return;
      // Worker 0 was lost during the call; it may come back.
      if (status.error_code() == grpc::StatusCode::UNAVAILABLE && steady_seconds() < end) continue;
      throw_status(status, members);
    }
  }
};

Store::Store(const Members& members)
    : impl_(new Impl{.members = members, .stub = Cluster::NewStub(make_channel(members, 0))}) {}

Store::~Store() = default;

void Store::set(const std::string& key, const std::string& value, double seconds) {
  SetRequest request;
  request.set_key(key);
  request.set_value(value);
  SetReply reply;
  impl_->call(&Cluster::Stub::Set, request, reply, seconds);
}

std::optional<std::string> Store::get(const std::string& key, double seconds) {
  const double end = steady_seconds() + seconds;
  GetRequest request;
  request.set_key(key);
  // The server limits each wait, so that it notices lost callers. So ask again.
  for (;;) {
    const double left = std::max(end - steady_seconds(), 0.0);
    request.set_wait_milliseconds(static_cast<int64_t>(left * 1e3));
    GetReply reply;
    impl_->call(&Cluster::Stub::Get, request, reply, left + kRoundTrip);
    if (reply.found()) return reply.value();
    if (steady_seconds() >= end) return std::nullopt;
  }
}

int64_t Store::add(const std::string& key, int64_t amount, double seconds) {
  AddRequest request;
  request.set_key(key);
  request.set_amount(amount);
  AddReply reply;
  impl_->call(&Cluster::Stub::Add, request, reply, seconds);
  return reply.value();
}

bool Store::erase(const std::string& key, double seconds) {
  DeleteRequest request;
  request.set_key(key);
  DeleteReply reply;
  impl_->call(&Cluster::Stub::Delete, request, reply, seconds);
  return reply.found();
}

}  // namespace antler::cluster
