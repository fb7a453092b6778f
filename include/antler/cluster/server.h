#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "antler/cluster/gloo_communicator.h"
#include "antler/distribute/cluster_spec.h"

namespace antler::cluster {

/// Options of Server.
struct ServerOptions {
  /// The job of this task, such as "worker" or "ps", and its index.
  std::string job_name = {};
  int64_t task_index = 0;         ///< number of the task in its job, from 0
  std::string protocol = "grpc";  ///< only this
  /// See GlooOptions.
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};  ///< as in GlooOptions
};

/// A task of a cluster that serves the coordinator of a ParameterServerStrategy (TensorFlow's
/// `tf.distribute.Server`): a "ps" holds variables, a "worker" runs steps. It does not need the
/// code of the program that it serves. Calls by processes outside of its cluster are refused.
class Server {
 public:
  /// Listens on the address of the task. Throws ValueError for a task that is not in the cluster or
  /// a protocol other than "grpc", and UnavailableError if the address is in use.
  Server(const distribute::ClusterSpec& cluster, const ServerOptions& options);
  /// The task that the environment describes; see distribute::resolver_from_environment(). Throws
  /// ValueError if there is none.
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
