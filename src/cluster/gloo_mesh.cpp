#include "cluster/gloo_mesh.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

#include "antler/base/error.h"
#include "base/clock.h"

namespace antler::cluster {
namespace {

/// Seconds between two calls of MeshOptions::check.
constexpr double kCheck = 0.2;
/// Gloo waits this many times its time limit for a peer that is to connect with this process.
constexpr int kLongerForConnections = 5;

/// It broke while others were being established.
struct BrokenConnection {
  int rank = 0;
};

/// Adapts the store to Gloo's interface. The keys of a group share a prefix.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  GlooStore(cluster::Store& store, std::string prefix, const Members& members,
            const MeshOptions& options)
      : store_(store), prefix_(std::move(prefix)), members_(members), options_(options) {}

  /// The process that is being connected.
  std::string peer() const { return members_.name(peer_); }

  void set(const std::string& key, const std::vector<char>& data) override {
    repeat(options_.timeout, [&](double seconds) {
      store_.set(prefix_ + key, {data.begin(), data.end()}, seconds);
      return true;
    });
  }
  std::vector<char> get(const std::string& key) override {
    const std::string value = find(key, options_.timeout);
    return {value.begin(), value.end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) find(key, options_.timeout);
  }
  /// Gloo's limit is not that of the options.
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);
  }

 private:
  /// Calls `ask(time)` until it returns true, for at most `seconds`, with checks in between.
  template <class Ask>
  void repeat(double seconds, const Ask& ask) const {
    const double end = steady_seconds() + seconds;
    for (;;) {
      const double left = end - steady_seconds();
      try {
        if (ask(options_.check ? std::clamp(left, 0.0, kCheck) : left)) return;
        if (steady_seconds() >= end)
          throw DeadlineExceededError("{} did not connect in time.", peer());
      } catch (const DeadlineExceededError&) {
        if (!options_.check || steady_seconds() >= end) throw;
      }
      if (options_.check) options_.check();
    }
  }

  std::string find(const std::string& key, double seconds) {
    // Keys are "rank_3" and "3".
    peer_ = std::atoi(key.substr(key.find('_') + 1).c_str());
    std::optional<std::string> value;
    repeat(seconds, [&](double time) {
      value = store_.get(prefix_ + key, time);
      return value.has_value();
    });
    return *std::move(value);
  }

  cluster::Store& store_;
  const std::string prefix_;
  const Members& members_;
  const MeshOptions& options_;
  int peer_ = 0;
};

}  // namespace

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(std::max<int64_t>(static_cast<int64_t>(seconds * 1e3), 1));
}

NoBrokenPipes::NoBrokenPipes() {
  sigemptyset(&pipe_);
  sigaddset(&pipe_, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
}

NoBrokenPipes::~NoBrokenPipes() {
  if (sigismember(&before_, SIGPIPE) == 1) return;
  const timespec none{};
  while (sigtimedwait(&pipe_, nullptr, &none) == SIGPIPE) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Sockets::Sockets(gloo::Context& context) {
  for (int rank = 0; rank < context.size; ++rank) {
    if (rank != context.rank) own_[rank] = context.getPair(rank)->address().bytes();
  }
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    keep(std::atoi(entry.path().filename().c_str()));
  for (const auto& [rank, own] : own_)
    if (!descriptors_.contains(rank)) throw BrokenConnection{rank};
}

Sockets::~Sockets() {
  for (const auto& [rank, descriptor] : descriptors_) ::close(descriptor);
}

void Sockets::shut_down() const {
  for (const auto& [rank, descriptor] : descriptors_) ::shutdown(descriptor, SHUT_RDWR);
}

std::set<int64_t> Sockets::closed_peers() const {
  std::set<int64_t> closed;
  for (const auto& [rank, descriptor] : descriptors_) {
    pollfd state{.fd = descriptor, .events = POLLRDHUP, .revents = 0};
    if (::poll(&state, 1, 0) > 0) closed.insert(rank);
  }
  return closed;
}

void Sockets::keep(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  for (const auto& [rank, own] : own_) {
    if (own.size() < size || std::memcmp(own.data(), &address, size) != 0) continue;
    if (descriptors_.contains(rank)) continue;
    descriptors_[rank] = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return;
  }
}

void Mesh::connect(gloo::rendezvous::Store& store, const std::string& host, double timeout) {
  auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr(host.c_str()));
  setTimeout(milliseconds(timeout / kLongerForConnections));
  connectFullMesh(store, device);
  connections_ = transportContext_;
  set_time_limit(timeout);
  sockets_.emplace(*this);
  transportContext_ =
      watched(connections_, std::make_shared<ConnectionWatch>(sockets_->descriptors()));
}

void Mesh::set_time_limit(double seconds) {
  setTimeout(milliseconds(seconds));
  // Some collectives use this one.
  connections_->setTimeout(milliseconds(seconds));
}

std::shared_ptr<Mesh> connect_mesh(Store& store, const std::string& group, const Members& members,
                                   const MeshOptions& options) {
  const NoBrokenPipes guard;
  GlooStore gloo_store(store, group + "/", members, options);
  try {
    auto mesh =
        std::make_shared<Mesh>(static_cast<int>(members.rank), static_cast<int>(members.size()));
    mesh->connect(gloo_store, members.host(), options.timeout);
    return mesh;
  } catch (const Error&) {
    throw;
  } catch (const BrokenConnection& broken) {
    throw UnavailableError("{} could not connect with {}: the connection broke.",
                           members.name(members.rank), members.name(broken.rank));
  } catch (const std::exception& error) {
    throw UnavailableError("{} could not connect with {}: {}", members.name(members.rank),
                           gloo_store.peer(), error.what());
  }
}

}  // namespace antler::cluster
