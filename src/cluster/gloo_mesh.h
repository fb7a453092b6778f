#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gloo/context.h>

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

/// Connects each process with every other one. They find each other through the keys in `store`
/// that begin with `group`. Throws UnavailableError and DeadlineExceededError if that fails, and
/// what `check` throws.
std::shared_ptr<gloo::Context> connect_mesh(Store& store, const std::string& group,
                                            const Members& members, const MeshOptions& options);

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

 private:
  /// Keeps a copy of the descriptor if it belongs to one of the connections, which are recognized
  /// by their local ports. The copy stays valid when Gloo closes its own.
  void keep(int descriptor);

  std::vector<std::vector<char>> own_;
  std::vector<int> descriptors_;
};

}  // namespace antler::cluster
