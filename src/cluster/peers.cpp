#include "cluster/peers.h"

#include <chrono>
#include <cstddef>
#include <deque>

#include "cluster/ping.h"

namespace antler::cluster {

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
  std::deque<Ping> pings(impl_->stubs.size());
  for (size_t i = 0; i < pings.size(); ++i)
    pings[i].send(*impl_->stubs[i], impl_->members, deadline, queue, &pings[i]);
  for (size_t i = 0; i < pings.size(); ++i) {
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
  for (size_t i = 0; i < pings.size(); ++i) states.push_back(pings[i].state(impl_->ranks[i]));
  return states;
}

}  // namespace antler::cluster
