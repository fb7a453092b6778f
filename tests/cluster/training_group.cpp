#include "cluster/training_group.h"

#include <nlohmann/json.hpp>

namespace antler::test {

Process TrainingGroup::start(size_t rank, const std::vector<std::string>& arguments) const {
  std::vector<std::string> line = {ANTLER_CLUSTER_TRAINING};
  line.insert(line.end(), arguments.begin(), arguments.end());
  const nlohmann::json config = {{"cluster", {{"worker", addresses_}}},
                                 {"task", {{"type", "worker"}, {"index", rank}}}};
  return Process(line, {{"TF_CONFIG", config.dump()}, {"OMP_WAIT_POLICY", "passive"}});
}

std::vector<Process> TrainingGroup::start_all(const std::vector<std::string>& arguments) const {
  std::vector<Process> group;
  for (size_t rank = 0; rank < addresses_.size(); ++rank) group.push_back(start(rank, arguments));
  return group;
}

}  // namespace antler::test
