#include "cluster/peer_monitor.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "cluster/ping.h"

namespace antler::cluster {
namespace {

/// Seconds before a process that has not answered is asked again.
constexpr double kPauseOfAbsent = 0.1;
constexpr double kFirstPause = 0.02;
/// Seconds after which the thread notices a new pause or that it must end.
constexpr double kLongestSleep = 0.05;

std::chrono::system_clock::time_point in_seconds(double seconds) {
  return std::chrono::system_clock::now() +
         std::chrono::microseconds(static_cast<int64_t>(std::max(seconds, 0.0) * 1e6));
}

struct Peer {
  int64_t rank = 0;
  std::unique_ptr<Cluster::Stub> stub;
  std::unique_ptr<Ping> question = {};  ///< null between two questions
  double due = 0;                       ///< of the next one
  double asked = 0;                     ///< when the last one began
  double answered = 0;                  ///< when its answer came
  double answer_asked = 0;              ///< when the question of `sight` began
  Sight sight = {};
};

}  // namespace

struct PeerMonitor::Impl {
  Impl(const Members& cluster, double answer_patience)
      : members(cluster), patience(answer_patience) {
    for (int64_t rank = 0; rank < members.size(); ++rank) {
      if (rank == members.rank) continue;
      Peer& peer = peers.emplace_back();
      peer.rank = rank;
      peer.sight.state.rank = rank;
      peer.answered = steady_seconds();
    }
    thread = std::thread([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      ends = true;
    }
    thread.join();
  }

  void ask(Peer& peer) {
    peer.asked = steady_seconds();
    // A connection that failed waits before it tries again, and returns its old error until then.
    if (peer.stub == nullptr) peer.stub = Cluster::NewStub(make_channel(members, peer.rank));
    peer.question = std::make_unique<Ping>();
    peer.question->send(*peer.stub, members, in_seconds(patience), queue, &peer);
  }

  void take_answer(Peer& peer) {
    const std::unique_ptr<Ping> question = std::move(peer.question);
    const double now = steady_seconds();
    const PeerState& state = peer.sight.state = question->state(peer.rank);
    if (state.alive) {
      peer.sight.silent = 0;
    } else {
      // More time than one question takes can pass only while this process is stopped.
      peer.sight.silent += std::min(now - peer.answered, 2 * patience);
      peer.stub = nullptr;
    }
    peer.answer_asked = peer.asked;
    peer.answered = now;
    peer.due = now + (state.alive ? pause : std::max(pause, kPauseOfAbsent));
  }

  /// Seconds until the next question is due.
  double ask_all() {
    const std::lock_guard lock(mutex);
    double next = kLongestSleep;
    const double now = steady_seconds();
    for (Peer& peer : peers) {
      if (peer.question != nullptr && ends) peer.question->cancel();
      if (peer.question != nullptr || ends) continue;
      if (peer.due <= now) ask(peer);
      if (peer.question == nullptr) next = std::min(next, peer.due - now);
    }
    return next;
  }

  bool is_done() {
    const std::lock_guard lock(mutex);
    return ends && std::all_of(peers.begin(), peers.end(),
                               [](const Peer& peer) { return peer.question == nullptr; });
  }

  void work() {
    while (!is_done()) {
      const double pause_now = ask_all();
      void* tag = nullptr;
      bool ok = false;
      if (queue.AsyncNext(&tag, &ok, in_seconds(pause_now)) != grpc::CompletionQueue::GOT_EVENT)
        continue;
      const std::lock_guard lock(mutex);
      take_answer(*static_cast<Peer*>(tag));
    }
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) {
    }
  }

  const Members members;
  const double patience;
  grpc::CompletionQueue queue;
  mutable std::mutex mutex;  // guards all below
  double pause = kFirstPause;
  bool ends = false;
  std::vector<Peer> peers;
  std::thread thread;
};

PeerMonitor::PeerMonitor(const Members& members, double patience)
    : impl_(std::make_unique<Impl>(members, patience)) {}

PeerMonitor::~PeerMonitor() = default;

std::vector<Sight> PeerMonitor::look(double since) const {
  const std::lock_guard lock(impl_->mutex);
  std::vector<Sight> sights;
  for (const Peer& peer : impl_->peers) {
    Sight& sight = sights.emplace_back(peer.sight);
    sight.is_fresh = peer.answer_asked >= since && peer.answer_asked != 0;
    if (!sight.is_fresh)
      sight.state = {
          .rank = peer.rank, .alive = false, .has_ended = false, .failure = {}, .presence = {}};
  }
  return sights;
}

void PeerMonitor::set_pause(double seconds) {
  const std::lock_guard lock(impl_->mutex);
  impl_->pause = seconds;
  const double now = steady_seconds();
  for (Peer& peer : impl_->peers) peer.due = std::min(peer.due, now + seconds);
}

}  // namespace antler::cluster
