#pragma once

#include "antler/training/callback.h"

namespace antler {

/// Records the epoch logs in model->history(). Runs after the user's callbacks, so that it sees
/// what they add.
class HistoryCallback final : public Callback {
 public:
  void on_train_begin(const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
};

}  // namespace antler
