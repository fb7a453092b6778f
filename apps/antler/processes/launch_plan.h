#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace antler::cli {

struct LaunchSettings {
  int64_t workers = 1;
  /// The number of parameter servers. If positive, there is also a chief: with `estimator` the
  /// first worker, otherwise an additional process.
  int64_t ps = 0;
  /// Uses the tasks of train_and_evaluate(): the first worker is the chief, and an evaluator runs
  /// in addition to the cluster.
  bool estimator = false;
  /// The hosts to which processes are assigned in turn; empty: this machine.
  std::vector<std::string> hosts;
  int64_t restarts = 0;
  /// OpenMP threads of each process; 0: the cores of its machine divided by the workers there.
  int64_t threads_per_worker = 0;
  bool pin = false;
  /// The first port on each host; 0: free ports of this machine, or 8888 on hosts.
  int64_t port_base = 0;
  /// Seconds between SIGTERM and SIGKILL.
  int64_t grace = 10;
  /// The program and its arguments.
  std::vector<std::string> program;
};

/// One process to start.
struct ProcessPlan {
  /// Job and index, "worker 0".
  std::string name;
  std::vector<std::string> command;
  /// Environment variables in addition to those of this process.
  std::vector<std::pair<std::string, std::string>> environment;
  /// The cores that it may use; empty: all.
  std::vector<int> cores;
  /// The command runs the program on another host, and ends it when its standard input is closed.
  bool remote = false;
  /// When it ends, all others are ended.
  bool leads = false;
  /// It is ended when no process is left that does not serve.
  bool serves = false;
};

/// Throws ValueError for settings that contradict each other.
std::vector<ProcessPlan> plan_launch(const LaunchSettings& settings);

}  // namespace antler::cli
