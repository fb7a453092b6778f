#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/cluster/gloo_communicator.h"
#include "antler/distribute/cluster_spec.h"

namespace antler::cluster {

/// The processes of a cluster, this process's place among them, and the proof that it belongs to
/// them.
struct Members {
  /// -1 for a coordinator that is not in the list.
  int64_t rank = 0;
  std::vector<std::string> addresses;
  /// Names of the processes in messages; empty: "worker 0" and so on.
  std::vector<std::string> names = {};
  /// Digest of the addresses.
  std::string digest;
  /// Digest of the addresses and the token: proves that the caller knows the token without
  /// revealing it.
  std::string proof;
  std::optional<TlsFiles> tls;

  int64_t size() const { return static_cast<int64_t>(addresses.size()); }
  /// "worker 2 (10.0.0.3:2222)".
  std::string name(int64_t member) const;
  /// The host of this process: "10.0.0.3", "::1".
  std::string host() const;
};

/// Throws ValueError if the options contradict each other.
Members make_members(const GlooOptions& options);

struct TaskOptions {
  std::string job = {};  ///< empty: not one of the tasks
  int64_t index = 0;
  std::optional<std::string> token = {};
  std::optional<TlsFiles> tls = {};
};
/// All tasks of a cluster, in the order of its jobs. Throws ValueError for an invalid address and
/// for a task that is not in the cluster.
Members make_members(const distribute::ClusterSpec& cluster, const TaskOptions& options);

}  // namespace antler::cluster
