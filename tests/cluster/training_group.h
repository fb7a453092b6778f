#pragma once

#include <string>
#include <vector>

#include "cluster/processes.h"

namespace antler::test {

/// Workers that train together, each a process of antler_cluster_training.
class TrainingGroup {
 public:
  explicit TrainingGroup(size_t workers) : addresses_(free_addresses(workers)) {}
  Process start(size_t rank, const std::vector<std::string>& arguments) const;
  /// All workers, in the order of their ranks.
  std::vector<Process> start_all(const std::vector<std::string>& arguments) const;

 private:
  std::vector<std::string> addresses_;
};

}  // namespace antler::test
