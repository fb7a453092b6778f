#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/training/callback.h"

namespace antler::callbacks {

struct BaseLoggerOptions {
  /// Names whose last value stands for the epoch.
  std::vector<std::string> stateful_metrics = {};
};

/// Puts means over the batches of an epoch in its logs (Keras 2's BaseLogger). The metrics of a
/// model are running means already; this is for train steps of one's own that return the values of
/// single batches. With several steps per execution the last batch stands for all of them.
class BaseLogger : public Callback {
 public:
  explicit BaseLogger(BaseLoggerOptions options = {}) : options_(std::move(options)) {}

  static constexpr const char* kName = "BaseLogger";
  static BaseLogger from_config(const Json& config);

  void on_epoch_begin(int64_t epoch, const Logs& logs) override;
  void on_batch_end(int64_t batch, const Logs& logs) override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;

 private:
  BaseLoggerOptions options_;
  bool restored_ = false;
  int64_t seen_ = 0;
  OrderedMap<double> totals_;
};

}  // namespace antler::callbacks
