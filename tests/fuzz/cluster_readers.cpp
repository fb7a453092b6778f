#include <string>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/distribute/multi_worker_util.h"
#include "antler/distribute/tf_config.h"
#include "fuzz/reader.h"

namespace antler::fuzz {
namespace {

/// Uses the value that was read, and checks that its text reads back as the same value.
void read_tf_config(std::string_view bytes) {
  const auto config = distribute::TFConfig::parse(bytes);
  const auto again = distribute::TFConfig::parse(config.str());
  if (again.cluster != config.cluster || again.task_id != config.task_id) {
    throw InternalError("TF_CONFIG differs after it was written and read.");
  }
  for (const std::string& job : config.cluster.jobs()) {
    const auto indices = config.cluster.task_indices(job);
    if (!indices.empty()) (void)config.cluster.task_address(job, indices.back());
  }
  if (config.task_type && config.task_id) {
    (void)distribute::id_in_cluster(config.cluster, *config.task_type, *config.task_id);
  }
}

void read_slurm_lists(std::string_view bytes) {
  const std::string text(bytes);
  try {
    (void)distribute::expand_tasks_per_node(text);
  } catch (const ValueError&) {
  }
  (void)distribute::expand_hostlist(text);
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"tf_config", read_tf_config},
      {"slurm_lists", read_slurm_lists},
  };
  return all;
}

}  // namespace antler::fuzz
