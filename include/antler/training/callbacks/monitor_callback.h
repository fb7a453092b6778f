#pragma once

#include <optional>
#include <string>

#include "antler/training/callback.h"

namespace antler {

/// Base of callbacks that watch one value of the logs (Keras's MonitorCallback).
///
/// Mode "min" or "max" says which way is better. "auto" finds out at the end of the first epoch:
/// `loss` is minimised, a compiled metric goes by its own direction, and other names that end in
/// "acc", "accuracy" or "auc" are maximised. Any other mode counts as "auto" with a warning.
class MonitorCallback : public Callback {
 protected:
  MonitorCallback(std::string class_name, std::string monitor, const std::string& mode,
                  double min_delta = 0, std::optional<double> best = {});

  /// Finds the direction, once. Throws ValueError when "auto" cannot tell.
  void resolve_direction();
  /// Whether `value` beats `reference` by more than min_delta. Anything beats none.
  bool is_improvement(double value, const std::optional<double>& reference) const;
  const std::string& monitor() const { return monitor_; }
  /// "Available metrics are: a,b", for warnings.
  static std::string available(const Logs& logs);

  std::optional<double> best_;

 private:
  enum class Direction : uint8_t { unknown, down, up };
  std::string class_name_;
  std::string monitor_;
  Direction direction_ = Direction::unknown;
  double min_delta_;
};

}  // namespace antler
