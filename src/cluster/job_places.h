#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/distribute/cluster_spec.h"

namespace antler::cluster {

/// The places of a job's tasks in the list of members, which is sorted by job; empty if the cluster
/// has no such job.
inline std::vector<int64_t> places_of(const distribute::ClusterSpec& cluster,
                                      const std::string& wanted) {
  std::vector<int64_t> places;
  int64_t place = 0;
  for (const std::string& job : cluster.jobs()) {
    for (int64_t i = 0; i < cluster.num_tasks(job); ++i, ++place) {
      if (job == wanted) places.push_back(place);
    }
  }
  return places;
}

}  // namespace antler::cluster
