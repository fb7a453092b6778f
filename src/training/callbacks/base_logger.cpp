#include "antler/training/callbacks/base_logger.h"

#include <algorithm>

namespace antler::callbacks {

void BaseLogger::on_epoch_begin(int64_t, HostLogs&) {
  seen_ = 0;
  totals_.clear();
}

void BaseLogger::on_batch_end(int64_t batch, HostLogs& logs) {
  const auto steps = static_cast<double>(batch + 1 - seen_);
  seen_ = batch + 1;
  for (const auto& [name, value] : logs) totals_[name] += value * steps;
}

void BaseLogger::on_epoch_end(int64_t, HostLogs& logs) {
  const auto& stateful = options_.stateful_metrics;
  for (const auto& [name, total] : totals_) {
    if (std::find(stateful.begin(), stateful.end(), name) != stateful.end()) continue;
    logs[name] = total / static_cast<double>(seen_);
  }
}

}  // namespace antler::callbacks
