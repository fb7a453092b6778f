#include "processes/launch_plan.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/tf_config.h"
#include "processes/free_ports.h"
#include "processes/remote_command.h"

namespace antler::cli {
namespace {

constexpr int64_t kDefaultPortBase = 8888;
constexpr int64_t kMaxPort = 65535;
constexpr const char* kEvaluator = "evaluator";  // not part of the cluster

struct Task {
  std::string job;
  int64_t index = 0;
  /// The task's number among the tasks that train; empty for other tasks.
  std::optional<int64_t> trainer;
  /// Empty: this machine.
  std::string host;
  std::string address;
};

std::vector<Task> tasks_of(const LaunchSettings& s) {
  std::vector<Task> tasks;
  int64_t trainers = 0;
  const auto add = [&](const char* job, int64_t count, bool trains) {
    for (int64_t i = 0; i < count; ++i) {
      Task task{.job = job, .index = i, .trainer = {}, .host = {}, .address = {}};
      if (trains) task.trainer = trainers++;
      tasks.push_back(std::move(task));
    }
  };
  if (s.ps > 0 || s.estimator) add("chief", 1, s.estimator);
  add("worker", s.workers - trainers, true);
  add("ps", s.ps, false);
  if (s.estimator) add(kEvaluator, 1, false);
  return tasks;
}

/// "[user@]host" without the user, with an IPv6 address in brackets.
std::string network_name(const std::string& host) {
  const std::string name = host.substr(host.rfind('@') + 1);
  return name.find(':') == std::string::npos ? name : "[" + name + "]";
}

void check_hosts(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts) {
    const std::string name = network_name(host);
    if (name.empty()) throw ValueError("--hosts has an empty name.");
    const bool loopback = name == "localhost" || name.starts_with("127.") || name == "[::1]";
    const bool others = std::any_of(hosts.begin(), hosts.end(),
                                    [&](const std::string& other) { return other != host; });
    if (loopback && others) {
      throw ValueError(
          "--hosts: '{}' means a different machine on each host; use a name that is valid on the "
          "other hosts.",
          host);
    }
  }
}

std::string address(const std::string& host, int64_t port) {
  if (port > kMaxPort) throw ValueError("There is no port {} for a process on '{}'.", port, host);
  return format("{}:{}", host, port);
}

void set_addresses(std::vector<Task>& tasks, const LaunchSettings& s) {
  if (s.hosts.empty() && s.port_base == 0) {
    const std::vector<int> ports = free_ports(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) tasks[i].address = address("127.0.0.1", ports[i]);
    return;
  }
  const int64_t base = s.port_base == 0 ? kDefaultPortBase : s.port_base;
  std::map<std::string, int64_t> used;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (!s.hosts.empty()) tasks[i].host = s.hosts[i % s.hosts.size()];
    const std::string name = s.hosts.empty() ? "127.0.0.1" : network_name(tasks[i].host);
    tasks[i].address = address(name, base + used[name]++);
  }
}

/// The cores that this process may use.
std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw RuntimeError("Cannot determine which cores this process may use.");
  }
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

distribute::ClusterSpec cluster_of(const std::vector<Task>& tasks) {
  std::map<std::string, std::vector<std::string>> jobs;
  for (const Task& task : tasks)
    if (task.job != kEvaluator) jobs[task.job].push_back(task.address);
  return distribute::ClusterSpec(jobs);
}

/// The number of tasks that train on the machine of a task, at least 1.
int64_t trainers_beside(const Task& task, const std::vector<Task>& tasks) {
  const auto count = std::count_if(tasks.begin(), tasks.end(), [&](const Task& other) {
    return other.trainer && other.host == task.host;
  });
  return std::max<int64_t>(count, 1);
}

void plan_local(ProcessPlan& plan, const Task& task, const LaunchSettings& s,
                const std::vector<int>& cores) {
  const auto share = static_cast<int64_t>(cores.size()) / s.workers;
  if (s.threads_per_worker > 0) {
    plan.environment.emplace_back("OMP_NUM_THREADS", format("{}", s.threads_per_worker));
  } else if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    plan.environment.emplace_back("OMP_NUM_THREADS", format("{}", std::max<int64_t>(share, 1)));
  }
  if (s.pin && task.trainer) {
    const auto first = cores.begin() + *task.trainer * share;
    plan.cores.assign(first, first + share);
  }
  plan.command = s.program;
}

void plan_remote(ProcessPlan& plan, const Task& task, const LaunchSettings& s,
                 const std::vector<Task>& tasks) {
  plan.command = remote_command({.host = task.host,
                                 .folder = std::filesystem::current_path().string(),
                                 .environment = plan.environment,
                                 .threads = s.threads_per_worker,
                                 .workers = trainers_beside(task, tasks),
                                 .grace = s.grace,
                                 .program = s.program});
  plan.environment.clear();
  plan.remote = true;
}

}  // namespace

std::vector<ProcessPlan> plan_launch(const LaunchSettings& s) {
  check_hosts(s.hosts);
  const std::vector<int> cores = usable_cores();
  if (s.pin && static_cast<int64_t>(cores.size()) < s.workers) {
    throw ValueError("--pin needs a core for each worker; there are {} cores for {} workers.",
                     cores.size(), s.workers);
  }
  std::vector<Task> tasks = tasks_of(s);
  set_addresses(tasks, s);
  distribute::TFConfig config{.cluster = cluster_of(tasks)};
  std::vector<ProcessPlan> plans;
  for (const Task& task : tasks) {
    config.task_type = task.job;
    config.task_id = task.index;
    ProcessPlan& plan = plans.emplace_back();
    plan.name = format("{} {}", task.job, task.index);
    plan.environment.emplace_back("TF_CONFIG", config.str());
    plan.leads = task.job == "chief" && !s.estimator;
    plan.serves = task.job == "ps" && s.estimator;
    if (s.hosts.empty()) {
      plan_local(plan, task, s, cores);
    } else {
      plan_remote(plan, task, s, tasks);
    }
  }
  return plans;
}

}  // namespace antler::cli
