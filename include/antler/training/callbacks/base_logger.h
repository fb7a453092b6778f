#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of BaseLogger.
struct BaseLoggerOptions {
  /// Names whose last value is reported for the epoch, instead of the mean.
  std::vector<std::string> stateful_metrics = {};
};

/// Adds the means over an epoch's batches to its logs (Keras 2's BaseLogger). The metrics of a
/// model are running means already; this is for custom train steps that return the values of single
/// batches. With several steps per execution, the last batch counts for all of them.
class BaseLogger : public Callback {
 public:
  explicit BaseLogger(BaseLoggerOptions options = {}) : options_(std::move(options)) {}
  ANTLER_KEYWORD_CONSTRUCTOR(BaseLogger, BaseLoggerOptions)

  static constexpr const char* kName = "BaseLogger";
  static BaseLogger from_config(const Json& config);

  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_batch_end(int batch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;

 private:
  BaseLoggerOptions options_;
  bool restored_ = false;
  int64_t seen_ = 0;
  OrderedMap<double> totals_;
};

}  // namespace antler::callbacks
