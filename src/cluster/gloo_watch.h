#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include <gloo/transport/context.h>
#include <gloo/transport/unbound_buffer.h>

/// Makes Gloo's waiting threads notice that a peer is gone. When a connection breaks, Gloo wakes
/// those that wait for a message that has not begun to arrive. Those whose message is half received
/// or half sent sleep until the time limit of the collective.
namespace antler::cluster {

/// Watches connections, and wakes the threads that wait for a peer that has closed its own.
class ConnectionWatch {
 public:
  /// `sockets` has the descriptor of the connection with each rank. They must outlive this object.
  explicit ConnectionWatch(std::map<int, int> sockets);
  ~ConnectionWatch();
  ConnectionWatch(const ConnectionWatch&) = delete;
  ConnectionWatch& operator=(const ConnectionWatch&) = delete;

  /// Wait until what `buffer` sends to the process `peer` is sent, or has arrived from it. Throw
  /// gloo::IoException if the peer is gone, or after `timeout`.
  void wait_send(gloo::transport::UnboundBuffer& buffer, int peer,
                 std::chrono::milliseconds timeout);
  void wait_receive(gloo::transport::UnboundBuffer& buffer, int peer,
                    std::chrono::milliseconds timeout);

 private:
  class Waiting;
  void watch();

  const std::map<int, int> sockets_;
  const int end_;     ///< an eventfd that ends the thread
  std::mutex mutex_;  // guards the two below
  std::set<int> closed_;
  std::multimap<int, gloo::transport::UnboundBuffer*> waiting_;  ///< by the peer's rank
  std::thread thread_;
};

/// `context`, but the buffers that it creates wait through `watch`.
std::shared_ptr<gloo::transport::Context> watched(std::shared_ptr<gloo::transport::Context> context,
                                                  std::shared_ptr<ConnectionWatch> watch);

}  // namespace antler::cluster
