// For builds without antler::cluster.
#include "cluster_strategies.h"

namespace antler::conformance {
namespace {

constexpr const char* kReason = "several processes: this build has no antler::cluster";

}  // namespace

ClusterStrategy parameter_server_strategy(const Json&) { throw Unsupported{kReason}; }
distribute::Strategy worker_strategy(const Json&, distribute::UnevenBatches) {
  throw Unsupported{kReason};
}
bool is_worker() { return true; }
bool is_chief() { return true; }
void run_in_workers(const GoldenCase&, int64_t, Check&) { throw Unsupported{kReason}; }

}  // namespace antler::conformance
