#pragma once

#include <memory>

#include "antler/distribute/mirrored_strategy.h"
#include "fit_settings.h"
#include "kinds.h"

/// Strategies of several processes. In builds without antler::cluster their cases are unsupported.
namespace antler::conformance {

struct ClusterStrategy {
  std::shared_ptr<void> tasks;  ///< those of the cluster that are threads of this process
  distribute::Strategy strategy;
  Placement placement = {};
};

ClusterStrategy parameter_server_strategy(const Json& strategy);
/// In one of the workers.
distribute::Strategy worker_strategy(const Json& strategy, distribute::UnevenBatches weighting);

/// Whether this process is a worker of a case, and whether it is the one whose results count.
bool is_worker();
bool is_chief();
/// Runs a case in processes of its own, and reports what the chief found.
void run_in_workers(const GoldenCase& golden, int64_t workers, Check& check);

}  // namespace antler::conformance
