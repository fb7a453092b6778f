#include "cluster/gloo_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "antler/base/error.h"

namespace antler::cluster {
namespace {

using gloo::transport::UnboundBuffer;

/// All that a peer has sent or received before it closed its connection counts. Gloo's thread may
/// need this time to finish with it.
constexpr std::chrono::milliseconds kLastMessages(2000);

void end_waits(UnboundBuffer& buffer) {
  buffer.abortWaitSend();
  buffer.abortWaitRecv();
}

/// One direction of a buffer. Each peer gets a buffer of Gloo of its own, because Gloo does not say
/// which of them a buffer still waits for.
class Transfers {
 public:
  /// Gloo's buffer for a transfer that starts now.
  UnboundBuffer& start(gloo::transport::Context& context, const UnboundBuffer& buffer, int peer) {
    auto& part = buffers_[peer];
    if (part == nullptr) part = context.createUnboundBuffer(buffer.ptr, buffer.size);
    started_.push_back(peer);
    return *part;
  }
  /// Returns the peer of the first transfer that nobody has waited for, and forgets it.
  int next() {
    if (started_.empty())
      throw InternalError("a collective waits for a transfer that has not been started.");
    const int peer = started_.front();
    started_.pop_front();
    return peer;
  }
  UnboundBuffer& buffer(int peer) { return *buffers_.at(peer); }
  void abort_all() {
    for (const auto& [peer, buffer] : buffers_) end_waits(*buffer);
  }

 private:
  std::map<int, std::unique_ptr<UnboundBuffer>> buffers_;
  std::deque<int> started_;
};

class WatchedBuffer final : public UnboundBuffer {
 public:
  WatchedBuffer(std::shared_ptr<gloo::transport::Context> context,
                std::shared_ptr<ConnectionWatch> watch, void* data, size_t bytes)
      : UnboundBuffer(data, bytes), context_(std::move(context)), watch_(std::move(watch)) {}

  bool waitRecv(int* rank, std::chrono::milliseconds timeout) override {
    const int peer = received_.next();
    watch_->wait_receive(received_.buffer(peer), peer, timeout);
    if (rank != nullptr) *rank = peer;
    return true;
  }
  bool waitSend(int* rank, std::chrono::milliseconds timeout) override {
    const int peer = sent_.next();
    watch_->wait_send(sent_.buffer(peer), peer, timeout);
    if (rank != nullptr) *rank = peer;
    return true;
  }
  void abortWaitRecv() override { received_.abort_all(); }
  void abortWaitSend() override { sent_.abort_all(); }

  void send(int peer, uint64_t slot, size_t offset, size_t bytes) override {
    sent_.start(*context_, *this, peer).send(peer, slot, offset, bytes);
  }
  void recv(int peer, uint64_t slot, size_t offset, size_t bytes) override {
    received_.start(*context_, *this, peer).recv(peer, slot, offset, bytes);
  }
  void recv(std::vector<int>, uint64_t, size_t, size_t) override {
    throw InternalError("none of the collectives in use receives from any of several processes.");
  }

 private:
  const std::shared_ptr<gloo::transport::Context> context_;
  const std::shared_ptr<ConnectionWatch> watch_;
  Transfers received_;
  Transfers sent_;
};

class WatchedContext final : public gloo::transport::Context {
 public:
  WatchedContext(std::shared_ptr<gloo::transport::Context> context,
                 std::shared_ptr<ConnectionWatch> watch)
      : Context(context->rank, context->size),
        context_(std::move(context)),
        watch_(std::move(watch)) {}

  std::unique_ptr<gloo::transport::Pair>& getPair(int rank) override {
    return context_->getPair(rank);
  }
  std::unique_ptr<gloo::transport::Pair>& createPair(int rank) override {
    return context_->createPair(rank);
  }
  std::unique_ptr<UnboundBuffer> createUnboundBuffer(void* data, size_t bytes) override {
    return std::make_unique<WatchedBuffer>(context_, watch_, data, bytes);
  }

 private:
  const std::shared_ptr<gloo::transport::Context> context_;
  const std::shared_ptr<ConnectionWatch> watch_;
};

}  // namespace

/// While it exists, a buffer is aborted if the peer closes its connection, or has closed it.
class ConnectionWatch::Waiting {
 public:
  Waiting(ConnectionWatch& watch, UnboundBuffer& buffer, int peer) : watch_(watch) {
    const std::lock_guard lock(watch_.mutex_);
    place_ = watch_.waiting_.emplace(peer, &buffer);
    if (watch_.closed_.contains(peer)) end_waits(buffer);
  }
  ~Waiting() {
    const std::lock_guard lock(watch_.mutex_);
    watch_.waiting_.erase(place_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  ConnectionWatch& watch_;
  std::multimap<int, UnboundBuffer*>::iterator place_;
};

ConnectionWatch::ConnectionWatch(std::map<int, int> sockets)
    : sockets_(std::move(sockets)), end_(::eventfd(0, EFD_CLOEXEC)) {
  if (end_ < 0) throw UnavailableError("No file descriptor is left to watch the connections.");
  thread_ = std::thread([this] { watch(); });
}

ConnectionWatch::~ConnectionWatch() {
  ::eventfd_write(end_, 1);
  thread_.join();
  ::close(end_);
}

void ConnectionWatch::wait_send(UnboundBuffer& buffer, int peer,
                                std::chrono::milliseconds timeout) {
  const Waiting waiting(*this, buffer, peer);
  if (!buffer.waitSend(timeout)) buffer.waitSend(kLastMessages);
}

void ConnectionWatch::wait_receive(UnboundBuffer& buffer, int peer,
                                   std::chrono::milliseconds timeout) {
  const Waiting waiting(*this, buffer, peer);
  if (!buffer.waitRecv(timeout)) buffer.waitRecv(kLastMessages);
}

void ConnectionWatch::watch() {
  std::vector<pollfd> events = {{.fd = end_, .events = POLLIN, .revents = 0}};
  std::vector<int> ranks = {-1};
  for (const auto& [rank, socket] : sockets_) {
    events.push_back({.fd = socket, .events = POLLRDHUP, .revents = 0});
    ranks.push_back(rank);
  }
  while (events[0].revents == 0) {
    if (::poll(events.data(), events.size(), -1) <= 0) continue;
    const std::lock_guard lock(mutex_);
    for (size_t i = 1; i < events.size(); ++i) {
      if (events[i].revents == 0) continue;
      events[i].fd = -1;  // poll() ignores it from now on
      closed_.insert(ranks[i]);
      const auto [first, last] = waiting_.equal_range(ranks[i]);
      for (auto it = first; it != last; ++it) end_waits(*it->second);
    }
  }
}

std::shared_ptr<gloo::transport::Context> watched(std::shared_ptr<gloo::transport::Context> context,
                                                  std::shared_ptr<ConnectionWatch> watch) {
  return std::make_shared<WatchedContext>(std::move(context), std::move(watch));
}

}  // namespace antler::cluster
