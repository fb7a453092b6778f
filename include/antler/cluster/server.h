#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "antler/distribute/cluster_spec.h"

namespace antler::cluster {

struct ServerOptions {
  /// The job of this task, such as "worker" or "ps", and its index.
  std::string job_name = {};
  int64_t task_index = 0;
  std::string protocol = "grpc";
  /// See GlooOptions.
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};
};

/// A task of a cluster that does what a ParameterServerStrategy's coordinator asks (TensorFlow's
/// `tf.distribute.Server`): a "ps" keeps variables, a "worker" runs steps. It needs no code of the
/// program that it serves. Calls by processes that are not of its cluster are refused.
class Server {
 public:
  /// Listens on the address of the task. Throws ValueError for a task that is not in the cluster
  /// and for another protocol than "grpc", UnavailableError if the address is in use.
  Server(const distribute::ClusterSpec& cluster, const ServerOptions& options);
  /// The task of TF_CONFIG, or of another way in which processes are started; see
  /// distribute::resolver_from_environment(). Throws ValueError if there is none.
  Server();
  ~Server();
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;

  /// Returns after stop(), which another thread calls.
  void join();
  void stop();
  /// "grpc://HOST:PORT".
  std::string target() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cluster
