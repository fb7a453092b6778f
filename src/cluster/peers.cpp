#include "cluster/peers.h"

#include <chrono>
#include <cstddef>
#include <deque>

#include <cluster.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "cluster/channels.h"

namespace antler::cluster {
namespace {

/// A ping in flight.
struct Call {
  grpc::ClientContext context;
  grpc::Status status;
  PingReply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<PingReply>> reader;
};

PeerState state_of(int64_t rank, const Call& call) {
  PeerState state{
      .rank = rank, .alive = call.status.ok(), .has_ended = false, .failure = {}, .presence = {}};
  if (!state.alive) {
    state.failure = call.status.error_message();
    state.has_ended = state.failure.find("Connection refused") != std::string::npos;
    return state;
  }
  state.failure = call.reply.failure();
  if (call.reply.has_presence()) state.presence = std::make_shared<Presence>(call.reply.presence());
  return state;
}

}  // namespace

struct Peers::Impl {
  Members members;
  std::vector<int64_t> ranks;
  std::vector<std::unique_ptr<Cluster::Stub>> stubs;
};

Peers::Peers(const Members& members)
    : impl_(new Impl{.members = members, .ranks = {}, .stubs = {}}) {
  for (int64_t rank = 0; rank < members.size(); ++rank) {
    if (rank == members.rank) continue;
    impl_->ranks.push_back(rank);
    impl_->stubs.push_back(Cluster::NewStub(make_channel(members, rank)));
  }
}

Peers::~Peers() = default;

std::vector<PeerState> Peers::ping(double seconds) {
  const auto deadline = std::chrono::system_clock::now() +
                        std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
  grpc::CompletionQueue queue;
  std::deque<Call> calls(impl_->stubs.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    sign(call.context, impl_->members);
    call.context.set_deadline(deadline);
    call.reader = impl_->stubs[i]->AsyncPing(&call.context, PingRequest(), &queue);
    call.reader->Finish(&call.reply, &call.status, &call);
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
  }
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
  }
  std::vector<PeerState> states;
  for (size_t i = 0; i < calls.size(); ++i) states.push_back(state_of(impl_->ranks[i], calls[i]));
  return states;
}

}  // namespace antler::cluster
