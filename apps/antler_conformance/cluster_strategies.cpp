#include "cluster_strategies.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "antler/cluster/parameter_server_strategy.h"
#include "antler/cluster/server.h"
#include "antler/core/variable_shards.h"
#include "antler/distribute/tf_config.h"
#include "antler/processes/free_ports.h"

namespace antler::conformance {
namespace {

cluster::Partitioner partitioner_of(const Json& json) {
  if (json.is_null()) return {};
  const std::string name = json.at("class").get<std::string>();
  const Json args = json.value("args", Json::object());
  if (name == "FixedShardsPartitioner")
    return cluster::FixedShardsPartitioner(args.at("num_shards").get<int64_t>());
  if (name == "MinSizePartitioner") {
    cluster::MinSizeOptions options;
    options.min_shard_bytes = args.value("min_shard_bytes", options.min_shard_bytes);
    options.max_shards = args.value("max_shards", options.max_shards);
    return cluster::MinSizePartitioner(options);
  }
  if (name == "MaxSizePartitioner") {
    cluster::MaxSizeOptions options{.max_shard_bytes = args.at("max_shard_bytes").get<int64_t>()};
    const Json most = args.value("max_shards", Json(nullptr));
    if (!most.is_null()) options.max_shards = most.get<int64_t>();
    return cluster::MaxSizePartitioner(options);
  }
  throw Unsupported{format("the partitioner '{}'", name)};
}

}  // namespace

ClusterStrategy parameter_server_strategy(const Json& strategy) {
  const auto workers = strategy.at("workers").get<size_t>();
  const auto servers = strategy.at("ps").get<size_t>();
  std::vector<std::string> addresses;
  for (const int port : cli::free_ports(workers + servers))
    addresses.push_back(format("127.0.0.1:{}", port));
  const auto middle = addresses.begin() + static_cast<std::ptrdiff_t>(workers);
  const distribute::ClusterSpec spec{{"worker", {addresses.begin(), middle}},
                                     {"ps", {middle, addresses.end()}}};
  const auto tasks = std::make_shared<std::vector<cluster::Server>>();
  for (const auto& [job, count] : {std::pair{"worker", workers}, {"ps", servers}}) {
    for (size_t i = 0; i < count; ++i) {
      tasks->emplace_back(
          spec, cluster::ServerOptions{.job_name = job, .task_index = static_cast<int64_t>(i)});
    }
  }
  const cluster::ParameterServerStrategy made(
      {.cluster_resolver = std::make_shared<distribute::SimpleClusterResolver>(spec),
       .variable_partitioner = partitioner_of(strategy.value("partitioner", Json(nullptr)))});
  const auto placement = [made, servers](const Variable& variable) {
    std::vector<std::vector<Shape>> shapes(servers);
    const Variables parts =
        variable.shards() == nullptr ? Variables{variable} : variable.shards()->parts;
    for (const Variable& part : parts)
      shapes[static_cast<size_t>(made.server_of(part))].push_back(part.shape());
    return shapes;
  };
  return {tasks, made, placement};
}

distribute::Strategy worker_strategy(const Json& strategy, distribute::UnevenBatches weighting) {
  return cluster::MultiWorkerMirroredStrategy(
      {.replicas = strategy.value("replicas", int64_t{1}), .uneven_batches = weighting});
}

}  // namespace antler::conformance
