#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gloo/rendezvous/context.h>

#include "cluster/gloo_watch.h"
#include "cluster/members.h"
#include "cluster/store.h"

/// Gloo's connections between the processes of a group.
namespace antler::cluster {

/// At least one millisecond, because Gloo needs that.
std::chrono::milliseconds milliseconds(double seconds);

/// Gloo may write to a socket that a peer has closed, which must not end the process. Blocks
/// SIGPIPE for this thread and the threads that it starts, and discards pending ones.
class NoBrokenPipes {
 public:
  NoBrokenPipes();
  ~NoBrokenPipes();
  NoBrokenPipes(const NoBrokenPipes&) = delete;
  NoBrokenPipes& operator=(const NoBrokenPipes&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

struct MeshOptions {
  double timeout = 30;  ///< of each connection, in seconds
  /// Called several times per second while this process waits for others to announce themselves;
  /// may throw.
  std::function<void()> check = {};
};

/// The sockets of Gloo's connections. Shutting them down ends all calls; Gloo itself offers no way
/// to wake waiting threads.
class Sockets {
 public:
  explicit Sockets(gloo::Context& context);
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// Makes waiting and later calls fail, here and at the peers.
  void shut_down() const;
  /// The ranks of the peers that have closed their connections; all after shut_down().
  std::set<int64_t> closed_peers() const;
  /// A descriptor of the connection with each rank.
  const std::map<int, int>& descriptors() const { return descriptors_; }

 private:
  /// Keeps a copy of the descriptor if it belongs to one of the connections, which are recognized
  /// by their local ports. The copy stays valid when Gloo closes its own.
  void keep(int descriptor);

  std::map<int, std::vector<char>> own_;  ///< addresses of this process, by the peer's rank
  std::map<int, int> descriptors_;
};

/// Gloo's context of a group whose processes are connected with each other.
class Mesh final : public gloo::rendezvous::Context {
 public:
  using Context::Context;
  ~Mesh() override { transportContext_ = nullptr; }  // it holds the watch, which uses the sockets
  /// Connects with the others, which are found through `store`, each within `timeout` seconds.
  /// Called once.
  void connect(gloo::rendezvous::Store& store, const std::string& host, double timeout);
  /// Sets the time limit of collectives, which connect() has set to its own.
  void set_time_limit(double seconds);
  /// As Sockets::shut_down() does.
  void shut_down() const { sockets_->shut_down(); }
  /// As Sockets::closed_peers() does.
  std::set<int64_t> closed_peers() const { return sockets_->closed_peers(); }

 private:
  std::optional<Sockets> sockets_;
  std::shared_ptr<gloo::transport::Context> connections_;  ///< those that are watched
};

/// Connects each process with every other one. They find each other through the keys in `store`
/// that begin with `group`. Throws UnavailableError and DeadlineExceededError if that fails, and
/// what `check` throws.
std::shared_ptr<Mesh> connect_mesh(Store& store, const std::string& group, const Members& members,
                                   const MeshOptions& options);

}  // namespace antler::cluster
