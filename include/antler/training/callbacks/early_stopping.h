#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/core/tensor.h"
#include "antler/nn/by_position.h"
#include "antler/training/callbacks/monitor_callback.h"

namespace antler::callbacks {

/// Options of EarlyStopping.
struct EarlyStoppingOptions {
  std::string monitor = "val_loss";  ///< name in the logs
  double min_delta = 0;              ///< smallest change that counts as an improvement
  int64_t patience = 0;              ///< epochs without improvement before training stops
  int verbose = 0;
  std::string mode = "auto";            ///< "min", "max" or "auto"
  std::optional<double> baseline = {};  ///< only values that beat it reset the patience
  bool restore_best_weights = false;    ///< at the end of training, whatever ended it
  int64_t start_from_epoch = 0;         ///< earlier epochs are ignored
};

/// Stops training when a value stops improving (Keras's EarlyStopping).
class EarlyStopping : public MonitorCallback {
 public:
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});
  template <StringLike S>
  explicit EarlyStopping(const S& monitor, EarlyStoppingOptions options = {})
      : EarlyStopping(by_position<&EarlyStoppingOptions::monitor>(
            "EarlyStopping", std::move(options), std::string(monitor))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(EarlyStopping, EarlyStoppingOptions, std::string)

  static constexpr const char* kName = "EarlyStopping";
  static EarlyStopping from_config(const Json& config);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;

  /// The epoch (zero-based) after which training stopped; 0 = it did not.
  int64_t stopped_epoch() const { return stopped_epoch_; }
  int64_t best_epoch() const { return best_epoch_; }
  std::optional<double> best() const { return best_; }

 private:
  EarlyStoppingOptions options_;
  int64_t wait_ = 0;
  int64_t stopped_epoch_ = 0;
  int64_t best_epoch_ = 0;
  Tensors best_weights_;
};

}  // namespace antler::callbacks
