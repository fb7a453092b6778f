#pragma once

#include "antler/training/callback.h"

namespace antler::cli {

/// Ends training after the step that runs when the user presses Ctrl-C; a second Ctrl-C ends the
/// program at once.
class InterruptCallback : public Callback {
 public:
  InterruptCallback();
  void on_train_batch_end(int64_t batch, HostLogs& logs) override;
  bool reads_batch_logs() const override { return false; }
  static bool interrupted();
};

}  // namespace antler::cli
