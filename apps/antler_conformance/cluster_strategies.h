#pragma once

#include <memory>

#include "antler/distribute/mirrored_strategy.h"
#include "fit_settings.h"
#include "kinds.h"

/// Strategies of several processes. In builds without antler::cluster their cases are unsupported.
namespace antler::conformance {

struct ClusterStrategy {
  std::shared_ptr<void> tasks;  ///< tasks of the cluster that run as threads of this process
  distribute::Strategy strategy;
  Placement placement = {};
};

ClusterStrategy parameter_server_strategy(const Json& strategy);
/// The strategy in a worker.
distribute::Strategy worker_strategy(const Json& strategy, distribute::UnevenBatches weighting);

/// Whether this process is a worker of a case, and whether its results count.
bool is_worker();
bool is_chief();
/// Runs a case in separate processes, and reports the chief's findings.
void run_in_workers(const GoldenCase& golden, int64_t workers, Check& check);

}  // namespace antler::conformance
