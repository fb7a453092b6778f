#include "cluster/gloo_mesh.h"

#include <fcntl.h>
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

/// Adapts the store to Gloo's interface. The keys of a group share a prefix.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  GlooStore(cluster::Store& store, std::string prefix, const MeshOptions& options)
      : store_(store), prefix_(std::move(prefix)), options_(options) {}

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
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override {
    for (const std::string& key : keys) find(key, std::chrono::duration<double>(timeout).count());
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
          throw DeadlineExceededError("a worker did not connect in time.");
      } catch (const DeadlineExceededError&) {
        if (!options_.check || steady_seconds() >= end) throw;
      }
      if (options_.check) options_.check();
    }
  }

  std::string find(const std::string& key, double seconds) const {
    std::optional<std::string> value;
    repeat(seconds, [&](double time) {
      value = store_.get(prefix_ + key, time);
      return value.has_value();
    });
    return *std::move(value);
  }

  cluster::Store& store_;
  const std::string prefix_;
  const MeshOptions& options_;
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
  if (descriptors_.size() < own_.size()) {
    throw UnavailableError("{} of {} connections broke while they were being established.",
                           own_.size() - descriptors_.size(), own_.size());
  }
}

Sockets::~Sockets() {
  for (const auto& [rank, descriptor] : descriptors_) ::close(descriptor);
}

void Sockets::shut_down() const {
  for (const auto& [rank, descriptor] : descriptors_) ::shutdown(descriptor, SHUT_RDWR);
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

void Mesh::connect(gloo::rendezvous::Store& store, const std::string& host) {
  auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr(host.c_str()));
  connectFullMesh(store, device);
  sockets_.emplace(*this);
  watch_ = std::make_shared<ConnectionWatch>(sockets_->descriptors());
  transportContext_ = watched(transportContext_, watch_);
}

std::shared_ptr<Mesh> connect_mesh(Store& store, const std::string& group, const Members& members,
                                   const MeshOptions& options) {
  const NoBrokenPipes guard;
  try {
    auto mesh =
        std::make_shared<Mesh>(static_cast<int>(members.rank), static_cast<int>(members.size()));
    mesh->setTimeout(milliseconds(options.timeout));
    GlooStore gloo_store(store, group + "/", options);
    mesh->connect(gloo_store, members.host());
    return mesh;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw UnavailableError("{} could not connect with all others: {}", members.name(members.rank),
                           error.what());
  }
}

}  // namespace antler::cluster
