#pragma once

#include <exception>

#include "antler/training/callback.h"

namespace antler::cli {

/// Thrown out of fit() behind the step after which the user pressed Ctrl-C.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped by Ctrl-C"; }
};

/// Ends training after the step that runs when the user presses Ctrl-C, behind all other callbacks:
/// a backup has been written then. A second Ctrl-C ends the program at once.
class InterruptCallback : public Callback {
 public:
  InterruptCallback();
  void on_train_batch_end(int64_t batch, const Logs& logs) override;
  void on_epoch_begin(int64_t epoch, const Logs& logs) override {
    epoch_ = epoch;
    (void)logs;
  }
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  bool runs_last() const override { return true; }
  /// Whether Ctrl-C came. Training ends at the hook after this was true, so that what asked has
  /// been done: a backup.
  static bool notice();

  /// Where it ended, both counted from 1.
  int64_t epoch() const { return epoch_ + 1; }
  int64_t step() const { return step_; }

 private:
  int64_t epoch_ = 0;
  int64_t step_ = 0;
};

}  // namespace antler::cli
