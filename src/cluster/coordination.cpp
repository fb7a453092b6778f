#include "cluster/coordination.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "cluster/remote_value.h"

namespace antler::cluster {

Coordination::Coordination(const distribute::Strategy& strategy, const ParameterServers& servers)
    : programs_(strategy, servers) {
  const size_t workers = servers.worker_tasks().size();
  for (size_t w = 0; w < workers; ++w) {
    links_.push_back(
        std::make_unique<WorkerLink>(w, workers, servers, programs_, failures_, queue_));
  }
}

Coordination::~Coordination() {
  queue_.stop();
  for (const auto& link : links_) link->cancel();
}

bool Coordination::runs_here() const {
  return std::any_of(links_.begin(), links_.end(),
                     [](const auto& link) { return link->runs_here(); });
}

RemoteValue Coordination::schedule(const Function& function,
                                   std::vector<ScheduleArgument> arguments) {
  if (!function.defined()) {
    throw TypeError(
        "ClusterCoordinator.schedule: expected a function that tf::function() made. Received an "
        "empty one.");
  }
  for (const ScheduleArgument& argument : arguments) {
    if (argument.workers() != 0 && argument.workers() != links_.size()) {
      throw ValueError("ClusterCoordinator.schedule: expected values for {} workers. Received: {}.",
                       links_.size(), argument.workers());
    }
  }
  auto result = std::make_shared<RemoteValue::State>();
  queue_.put(std::make_shared<ScheduledClosure>(
      ScheduledClosure{function, std::move(arguments), {}, result}));
  return RemoteValue(std::move(result));
}

void Coordination::prepare(const Function& function, const Nest& example) {
  programs_.get(function, example);
}

void Coordination::put_batches(const Function& function, std::vector<Nest> batches,
                               const std::shared_ptr<RemoteValue::State>& result) {
  // Limits the memory for waiting batches.
  const size_t most = 4 * links_.size() + 16;
  queue_.put(std::make_shared<ScheduledClosure>(
                 ScheduledClosure{function, {}, std::move(batches), result}),
             most);
}

void Coordination::schedule(const Function& function, std::vector<Nest> batches) {
  put_batches(function, std::move(batches), std::make_shared<RemoteValue::State>());
}

void Coordination::schedule_result(const Function& function, Nest batch) {
  results_.push_back(std::make_shared<RemoteValue::State>());
  put_batches(function, {std::move(batch)}, results_.back());
}

std::vector<Nest> Coordination::take_results() {
  std::vector<Nest> results;
  for (; !results_.empty() && results_.front()->is_ready(); results_.pop_front())
    results.push_back(results_.front()->get());
  return results;
}

void Coordination::join() {
  try {
    queue_.wait();
  } catch (...) {
    results_.clear();
    throw;
  }
}

ClusterCoordinator::ClusterCoordinator(const distribute::Strategy& strategy) {
  const auto servers = std::dynamic_pointer_cast<const ParameterServers>(strategy.implementation());
  if (servers == nullptr)
    throw ValueError("ClusterCoordinator: expected a ParameterServerStrategy.");
  strategy_ = strategy;
  coordination_ = &servers->coordination(strategy);
}

RemoteValue ClusterCoordinator::schedule(const Function& function,
                                         std::vector<ScheduleArgument> arguments) {
  return coordination_->schedule(function, std::move(arguments));
}

void ClusterCoordinator::join() { coordination_->queue().wait(); }
bool ClusterCoordinator::done() { return coordination_->queue().done(); }
int64_t ClusterCoordinator::num_workers() const { return coordination_->num_workers(); }

std::vector<Nest> ClusterCoordinator::fetch(const std::vector<RemoteValue>& values) {
  std::vector<Nest> fetched;
  for (const RemoteValue& value : values) fetched.push_back(value.fetch());
  return fetched;
}

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(const data::Dataset& dataset) const {
  return create_per_worker_dataset([dataset](const data::InputContext&) { return dataset; });
}

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(MakeDataset make) const {
  if (make == nullptr) {
    throw TypeError(
        "create_per_worker_dataset: expected a data set or a function that makes one. Received an "
        "empty function.");
  }
  return {std::move(make), num_workers()};
}

PerWorkerDataset ClusterCoordinator::create_per_worker_dataset(
    const std::string& dataset_fn) const {
  if (dataset_fn.empty()) {
    throw ValueError(
        "create_per_worker_dataset: expected the name of a function that the workers have "
        "registered. Received an empty one.");
  }
  return {dataset_fn, num_workers()};
}

}  // namespace antler::cluster
