#include "antler/cluster/parameter_server_strategy_v1.h"

#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/cluster/server.h"
#include "antler/core/variable_origin.h"
#include "antler/distribute/multi_worker_util.h"
#include "cluster/job_places.h"
#include "cluster/members.h"
#include "cluster/named_variables.h"
#include "cluster/shared_step.h"
#include "distribute/shared_variables.h"
#include "distribute/strategy_impl.h"

namespace antler::cluster {
namespace {

/// A task of a cluster.
struct Task {
  distribute::ClusterSpec cluster;
  std::string job;
  int64_t index = 0;
};

/// One of the processes that run the same program.
class BetweenGraphServers final : public distribute::StrategyImpl,
                                  public distribute::SharedVariables {
 public:
  BetweenGraphServers(Task task, const ParameterServerV1Options& options)
      : task_(std::move(task)),
        options_(options),
        members_(make_members(
            task_.cluster,
            {.job = task_.job, .index = task_.index, .token = options.token, .tls = options.tls})),
        variables_(members_, places_of(task_.cluster, "ps"), options.start_timeout) {}

  int64_t replicas() const override { return 1; }
  distribute::PerReplica run(const distribute::ReplicaFunction& function,
                             const distribute::PerReplica& arguments,
                             const distribute::RunOptions& /*options*/) const override {
    const distribute::ReplicaContextScope context({});
    return {function(arguments[0])};
  }
  data::InputContext input_context() const override {
    if (task_.job == "ps") return {1, 0, 1};
    return {distribute::worker_count(task_.cluster, task_.job),
            distribute::id_in_cluster(task_.cluster, task_.job, task_.index), 1};
  }
  bool is_remote() const override { return true; }
  void created(const Variable& variable, const Variable& colocated) const override {
    if (colocated.defined()) variables_.colocate(variable, colocated);
  }
  void refresh(const Variable& variable) const override { variables_.refresh(variable); }
  void publish(const Variable& variable) const override { variables_.publish(variable); }
  void destroyed(uint64_t id) const override { variables_.forget(id); }
  const distribute::SharedVariables* shared_variables() const override { return this; }

  void serve() const override {
    Server server(task_.cluster, {.job_name = task_.job,
                                  .task_index = task_.index,
                                  .token = options_.token,
                                  .tls = options_.tls});
    logging::info(format("Started the parameter server {}.", server.target()));
    server.join();
  }
  void create(const Named& variables) const override {
    check_made_here(variables);
    variables_.create(variables);
  }
  void find(const Named& variables, double seconds) const override {
    check_made_here(variables);
    variables_.find(variables, seconds);
  }
  void release() const override { variables_.release(); }
  std::unique_ptr<distribute::SharedProgram> compile(ir::Graph graph, const Variable& counter,
                                                     const std::string& name) const override {
    return std::make_unique<SharedStep>(members_, variables_, std::move(graph), counter, name);
  }

 private:
  /// A variable made elsewhere would not have the servers' value.
  void check_made_here(const Named& variables) const {
    for (const auto& [name, variable] : variables) {
      if (variable_origin(variable).get() == this) continue;
      throw ValueError(
          "The variable `{}` was made neither by model_fn nor by a hook, so parameter servers "
          "cannot hold it.",
          name);
    }
  }

  const Task task_;
  const ParameterServerV1Options options_;
  const Members members_;
  mutable NamedVariables variables_;
};

distribute::Strategy make_strategy(const ParameterServerV1Options& options) {
  const std::shared_ptr<const distribute::ClusterResolver> resolver =
      options.cluster_resolver != nullptr ? options.cluster_resolver
                                          : distribute::resolver_from_environment();
  if (resolver == nullptr || resolver->cluster_spec().empty()) return {};
  Task task{.cluster = resolver->cluster_spec(),
            .job = resolver->task_type().value_or(""),
            .index = resolver->task_id().value_or(0)};
  // It trains nothing: it reads checkpoints.
  if (task.job == "evaluator") return {};
  if (!task.cluster.has_job("ps")) {
    throw ValueError("ParameterServerStrategyV1: the cluster spec needs to have `ps` jobs.");
  }
  distribute::validate(*resolver);
  return distribute::Strategy(
      std::make_shared<const BetweenGraphServers>(std::move(task), options));
}

}  // namespace

ParameterServerStrategyV1::ParameterServerStrategyV1(const ParameterServerV1Options& options)
    : Strategy(make_strategy(options)) {}

}  // namespace antler::cluster
