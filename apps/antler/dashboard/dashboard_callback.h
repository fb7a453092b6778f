#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "antler/training/callback.h"
#include "curves/loss_curve.h"
#include "dashboard/dashboard_state.h"
#include "dashboard/validation_probe.h"

namespace antler::cli {

/// Writes the progress of fit() into the state of the dashboard, at most 50 times per second. After
/// the validation of the first and the last epoch it also writes predictions, and after others as
/// long as predictions take at most 5 % of the time. Has no influence on the training.
class DashboardCallback : public Callback {
 public:
  /// `rows` is the number of samples of an epoch.
  DashboardCallback(std::shared_ptr<DashboardState> state, int64_t batch_size, int64_t rows,
                    std::optional<ValidationProbe> probe);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_test_begin(const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  bool chief_only() const override { return true; }
  bool decides_by_logs() const override { return true; }

 private:
  /// The progress at a moment of the current epoch.
  struct Mark {
    double time;
    int64_t steps;     ///< done in this epoch
    double samples;    ///< of these steps
    double mean_loss;  ///< over them
  };
  void measure(const Mark& now);
  /// Publishes "now" and the curve.
  void publish(const char* state);
  double seconds_left() const;
  void look(double epoch_seconds);

  const std::shared_ptr<DashboardState> state_;
  const int64_t batch_size_;
  const int64_t rows_;
  std::optional<ValidationProbe> probe_;
  LossCurve curve_;
  double start_ = 0;
  double epoch_start_ = 0;
  double steps_end_ = 0;         ///< time of the epoch's last known step
  double seconds_between_ = 0;   ///< from the last step of an epoch to the next epoch
  double steps_per_second_ = 0;  ///< recently; 0: not known yet
  double probe_seconds_ = 0;     ///< total time of the predictions
  double learning_rate_ = 0;
  int64_t epoch_ = 0;
  int64_t steps_ = 0;
  std::optional<Mark> last_;
  Json logs_;
};

}  // namespace antler::cli
