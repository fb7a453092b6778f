#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "antler/distribute/cluster_spec.h"

namespace antler::distribute {

/// The contents of the environment variable TF_CONFIG: the cluster, and which of its tasks this
/// process is. For example `{"cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type":
/// "worker", "index": 0}}`.
struct TFConfig {
  ClusterSpec cluster = {};                        ///< addresses of all tasks
  std::optional<std::string> task_type = {};       ///< job of this process, such as "worker"
  std::optional<int64_t> task_id = {};             ///< its index in the job, from 0
  std::optional<std::string> rpc_layer = {};       ///< the protocol, such as "grpc"
  std::optional<std::string> session_master = {};  ///< address for sessions
  /// For estimators: the model's folder, the address for evaluations, and a service description.
  std::optional<std::string> model_dir = {};
  std::optional<std::string> eval_session_master = {};  ///< address for evaluations
  std::optional<std::string> service = {};              ///< JSON of an object

  /// Other keys, such as "environment", are ignored; a blank string is an empty configuration.
  /// Throws ValueError with the position of an error in the JSON, and ValueError or TypeError with
  /// the path of a wrong value.
  static TFConfig parse(std::string_view text);
  /// Parses this process's variable; empty if it is not set. Throws what parse() throws.
  static TFConfig from_environment();
  /// The value to set the variable to, in one line.
  std::string str() const;
};

}  // namespace antler::distribute
