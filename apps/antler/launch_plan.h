#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace antler::cli {

struct LaunchSettings {
  int64_t workers = 1;
  /// Parameter servers; with some, there is a chief too.
  int64_t ps = 0;
  /// Where the processes run, one after the other in turn; empty: on this machine.
  std::vector<std::string> hosts;
  int64_t restarts = 0;
  /// OpenMP threads of each process; 0: the cores of its machine divided by the workers there.
  int64_t threads_per_worker = 0;
  bool pin = false;
  /// The first port on each host; 0: free ports of this machine, or 8888 on hosts.
  int64_t port_base = 0;
  /// Seconds that processes have to end.
  int64_t grace = 10;
  /// The program and its arguments.
  std::vector<std::string> program;
};

/// One process to start.
struct ProcessPlan {
  /// Job and index, "worker 0".
  std::string name;
  std::vector<std::string> command;
  /// Variables that it has besides those of this process.
  std::vector<std::pair<std::string, std::string>> environment;
  /// The cores on which it may run; empty: all.
  std::vector<int> cores;
  /// The end of the standard input tells the command to end the program that it runs elsewhere.
  bool remote = false;
  /// All others end when it has ended.
  bool leads = false;
};

/// Throws ValueError for settings that do not fit together.
std::vector<ProcessPlan> plan_launch(const LaunchSettings& settings);

}  // namespace antler::cli
