#pragma once

#include <antler/cluster/parameter_server_strategy.h>
#include <antler/cluster/server.h>

#include <optional>
#include <string>

/// Every task of a cluster runs the same program. In a worker or a parameter server this function
/// serves until the chief ends. In the chief it returns the strategy, without a cluster nothing.
inline std::optional<antler::cluster::ParameterServerStrategy> enter_cluster(
    const antler::cluster::ParameterServerOptions& options = {}) {
  const auto resolver = antler::distribute::resolver_from_environment();
  if (resolver == nullptr) return std::nullopt;
  const std::string job = resolver->task_type().value_or("");
  if (job == "worker" || job == "ps") antler::cluster::Server().join();
  return antler::cluster::ParameterServerStrategy(options);
}
