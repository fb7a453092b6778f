#pragma once

#include <cstdint>
#include <string>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/training/callbacks/monitor_callback.h"

namespace antler::callbacks {

/// Options of ReduceLROnPlateau.
struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";  ///< name in the logs
  double factor = 0.1;               ///< below 1
  int64_t patience = 10;             ///< epochs without improvement before the rate is reduced
  int verbose = 0;
  std::string mode = "auto";  ///< "min", "max" or "auto"
  double min_delta = 1e-4;    ///< smallest change that counts as an improvement
  int64_t cooldown = 0;       ///< epochs after a reduction that are not counted
  double min_lr = 0;          ///< the rate does not fall below it
};

/// Multiplies the learning rate by a factor when a value stops improving, and adds
/// `learning_rate` to the logs (Keras's ReduceLROnPlateau). Throws ValueError for a factor of 1 or
/// more.
class ReduceLROnPlateau : public MonitorCallback {
 public:
  explicit ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});
  template <StringLike S>
  explicit ReduceLROnPlateau(const S& monitor, ReduceLROnPlateauOptions options = {})
      : ReduceLROnPlateau(by_position<&ReduceLROnPlateauOptions::monitor>(
            "ReduceLROnPlateau", std::move(options), std::string(monitor))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(ReduceLROnPlateau, ReduceLROnPlateauOptions, std::string)

  static constexpr const char* kName = "ReduceLROnPlateau";
  static ReduceLROnPlateau from_config(const Json& config);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;

 private:
  bool reduce(int64_t epoch);

  ReduceLROnPlateauOptions options_;
  int64_t cooldown_counter_ = 0;
  int64_t wait_ = 0;
};

}  // namespace antler::callbacks
