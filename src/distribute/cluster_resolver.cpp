#include "antler/distribute/cluster_resolver.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "antler/base/error.h"
#include "antler/distribute/multi_worker_util.h"
#include "antler/distribute/tf_config.h"
#include "distribute/process_environment.h"

namespace antler::distribute {
namespace {

std::string url(const std::string& address, const std::optional<std::string>& rpc_layer) {
  if (address.empty() || !rpc_layer || rpc_layer->empty()) return address;
  return format("{}://{}", *rpc_layer, address);
}

/// `given` if it has a value, otherwise `other`.
template <class T>
std::optional<T> first_of(const std::optional<T>& given, const std::optional<T>& other) {
  return given ? given : other;
}

/// Merges the tasks of several clusters, job by job.
class JobUnion {
 public:
  void add(const ClusterSpec& cluster) {
    for (const std::string& job : cluster.jobs()) parts_[job].push_back(tasks_of(cluster, job));
  }

  ClusterSpec spec() const {
    std::map<std::string, ClusterSpec::Tasks> jobs;
    for (const auto& [job, parts] : parts_) jobs[job] = joined(job, parts);
    return ClusterSpec::sparse(std::move(jobs));
  }

 private:
  using Parts = std::vector<ClusterSpec::Tasks>;

  static ClusterSpec::Tasks tasks_of(const ClusterSpec& cluster, const std::string& job) {
    ClusterSpec::Tasks tasks;
    for (const int64_t index : cluster.task_indices(job)) {
      tasks.emplace(index, cluster.task_address(job, index));
    }
    return tasks;
  }

  static bool is_list(const ClusterSpec::Tasks& tasks) {
    return !tasks.empty() && tasks.rbegin()->first == static_cast<int64_t>(tasks.size()) - 1;
  }

  static ClusterSpec::Tasks joined(const std::string& job, const Parts& parts) {
    const bool lists = std::all_of(parts.begin(), parts.end(), is_list);
    ClusterSpec::Tasks all;
    for (const ClusterSpec::Tasks& part : parts) {
      const auto offset = lists ? static_cast<int64_t>(all.size()) : 0;
      for (const auto& [index, address] : part) {
        if (!all.emplace(offset + index, address).second) {
          throw KeyError("Two clusters of the union have a task {} of job '{}'.", index, job);
        }
      }
    }
    return all;
  }

  std::map<std::string, Parts> parts_;
};

}  // namespace

std::optional<std::string> ClusterResolver::task_type() const {
  return set_.task_type ? set_.task_type : found_task().task_type;
}

std::optional<int64_t> ClusterResolver::task_id() const {
  return set_.task_id ? set_.task_id : found_task().task_id;
}

std::optional<std::string> ClusterResolver::rpc_layer() const {
  return set_.rpc_layer ? set_.rpc_layer : found_task().rpc_layer;
}

std::string ClusterResolver::master(const TaskOptions& options) const {
  const auto type = first_of(options.task_type, task_type());
  const auto id = first_of(options.task_id, task_id());
  if (!type || !id) return "";
  return url(cluster_spec().task_address(*type, *id), first_of(options.rpc_layer, rpc_layer()));
}

void validate(const ClusterResolver& resolver) {
  const ClusterSpec cluster = resolver.cluster_spec();
  if (cluster.empty()) return;
  const auto task_type = resolver.task_type();
  const auto task_id = resolver.task_id();
  if (!task_type || !task_id) {
    throw ValueError("The cluster has jobs, but the {} of this process is not given.",
                     task_type ? "task index" : "task type");
  }
  validate_cluster_spec(cluster, *task_type, *task_id);
}

TFConfigClusterResolver::TFConfigClusterResolver(const TFConfigClusterResolverOptions& options)
    : ClusterResolver({.task_type = options.task_type,
                       .task_id = options.task_id,
                       .rpc_layer = options.rpc_layer}),
      environment_(options.environment) {}

ClusterSpec TFConfigClusterResolver::cluster_spec() const {
  return TFConfig::from_environment().cluster;
}

TaskOptions TFConfigClusterResolver::found_task() const {
  TFConfig config = TFConfig::from_environment();
  return {.task_type = std::move(config.task_type),
          .task_id = config.task_id,
          .rpc_layer = std::move(config.rpc_layer)};
}

std::string TFConfigClusterResolver::master(const TaskOptions& options) const {
  const TFConfig config = TFConfig::from_environment();
  if (config.session_master) return *config.session_master;
  const std::vector<std::string> jobs = config.cluster.jobs();
  if (jobs.empty() || (jobs.size() == 1 && config.cluster.num_tasks(jobs.front()) == 1)) return "";
  return ClusterResolver::master(options);
}

SimpleClusterResolver::SimpleClusterResolver(ClusterSpec cluster_spec,
                                             const SimpleClusterResolverOptions& options)
    : ClusterResolver({.task_type = options.task_type,
                       .task_id = options.task_id,
                       .rpc_layer = options.rpc_layer}),
      cluster_spec_(std::move(cluster_spec)),
      master_(options.master),
      num_accelerators_(options.num_accelerators),
      environment_(options.environment) {}

std::string SimpleClusterResolver::master(const TaskOptions& options) const {
  if (options.task_type && options.task_id) return ClusterResolver::master(options);
  return url(master_, first_of(options.rpc_layer, rpc_layer()));
}

UnionResolver::UnionResolver(std::vector<std::shared_ptr<const ClusterResolver>> resolvers,
                             TaskOptions options)
    : ClusterResolver(std::move(options)), resolvers_(std::move(resolvers)) {
  if (resolvers_.empty()) throw ValueError("UnionResolver needs at least one resolver.");
  for (size_t i = 0; i < resolvers_.size(); ++i) {
    if (resolvers_[i] == nullptr) throw ValueError("UnionResolver: resolver {} is null.", i);
  }
}

ClusterSpec UnionResolver::cluster_spec() const {
  JobUnion all;
  for (const auto& resolver : resolvers_) all.add(resolver->cluster_spec());
  return all.spec();
}

std::string UnionResolver::master(const TaskOptions& options) const {
  if (options.task_type && options.task_id) return ClusterResolver::master(options);
  return resolvers_.front()->master({.rpc_layer = options.rpc_layer});
}

std::map<std::string, int64_t> UnionResolver::num_accelerators() const {
  return resolvers_.front()->num_accelerators();
}

std::string UnionResolver::environment() const { return resolvers_.front()->environment(); }

TaskOptions UnionResolver::found_task() const {
  const ClusterResolver& first = *resolvers_.front();
  return {
      .task_type = first.task_type(), .task_id = first.task_id(), .rpc_layer = first.rpc_layer()};
}

std::shared_ptr<ClusterResolver> resolver_from_environment() {
  const char* tf_config = std::getenv("TF_CONFIG");
  if (tf_config != nullptr &&
      std::string_view(tf_config).find_first_not_of(" \t\r\n") != std::string_view::npos) {
    return std::make_shared<TFConfigClusterResolver>();
  }
  if (const auto size = environment_integer("OMPI_COMM_WORLD_SIZE")) {
    return *size > 1 ? std::make_shared<OpenMpiClusterResolver>() : nullptr;
  }
  // Set only inside of steps, not in a batch script.
  if (environment_integer("SLURM_STEP_NUM_TASKS").value_or(1) > 1) {
    return std::make_shared<SlurmClusterResolver>();
  }
  return nullptr;
}

}  // namespace antler::distribute
