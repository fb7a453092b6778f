#pragma once

#include <exception>

#include "antler/training/callback.h"

namespace antler::cli {

/// Thrown out of fit() after the step during which the user pressed Ctrl-C.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped by Ctrl-C"; }
};

/// Ends training after the current step when the user presses Ctrl-C. It runs after all other
/// callbacks, so a backup has been written. A second Ctrl-C ends the program at once.
class InterruptCallback : public Callback {
 public:
  InterruptCallback();
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_epoch_begin(int epoch, const Logs&) override { epoch_ = epoch; }
  void on_epoch_end(int epoch, const Logs& logs) override;
  bool runs_last() const override { return true; }
  /// Whether Ctrl-C was pressed. Training ends at the first hook after this has returned true, so
  /// the caller can write a backup first.
  static bool notice();

  /// Where training ended, counted from 1.
  int64_t epoch() const { return epoch_ + 1; }
  int64_t step() const { return step_; }

 private:
  int64_t epoch_ = 0;
  int64_t step_ = 0;
};

}  // namespace antler::cli
