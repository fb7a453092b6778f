#include "antler/training/callbacks/base_logger.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "nn/list_field.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/state_json.h"

namespace antler::callbacks {

void BaseLogger::on_epoch_begin(int, const Logs&) {
  if (std::exchange(restored_, false)) return;  // resumed in the middle of the epoch
  seen_ = 0;
  totals_.clear();
}

void BaseLogger::on_batch_end(int batch, const Logs& logs) {
  const auto steps = static_cast<double>(batch + 1 - seen_);
  seen_ = batch + 1;
  for (const auto& [name, value] : logs) totals_[name] += value * steps;
}

void BaseLogger::on_epoch_end(int, const Logs&) {
  const auto& stateful = options_.stateful_metrics;
  if (seen_ == 0) return;
  for (const auto& [name, total] : totals_) {
    if (std::find(stateful.begin(), stateful.end(), name) != stateful.end()) continue;
    add_log(name, total / static_cast<double>(seen_));
  }
  seen_ = 0;
  totals_.clear();
}

Json BaseLogger::get_state() const {
  Json totals = Json::object();
  for (const auto& [name, total] : totals_) totals[name] = training::to_json(std::optional(total));
  return {{"seen", seen_}, {"totals", std::move(totals)}};
}

void BaseLogger::set_state(const Json& state) {
  restored_ = true;
  seen_ = state.at("seen");
  totals_.clear();
  for (const auto& [name, total] : state.at("totals").items())
    totals_[name] = *training::number_from_json(total);
}

template <class V>
void fields(V& v, BaseLoggerOptions& o) {
  list_field(v, "stateful_metrics", o.stateful_metrics);
}

BaseLogger BaseLogger::from_config(const Json& config) {
  return BaseLogger(read_options<BaseLogger, BaseLoggerOptions>(config));
}

}  // namespace antler::callbacks
