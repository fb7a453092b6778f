#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "antler/training/callback.h"
#include "antler/training/callbacks/save_freq.h"

namespace antler::callbacks {

class PreemptionNotice;

struct BackupAndRestoreOptions {
  std::string backup_dir = {};
  /// "epoch", a number of batches or, with `save_before_preemption`, SaveFreq::never().
  SaveFreq save_freq = "epoch";
  bool double_checkpoint = false;  ///< keep the backup before the last, for a damaged disk
  bool delete_checkpoint = true;   ///< when training ends normally
  /// A machine that is taken away says so with SIGTERM: a backup then, behind the execution that
  /// runs, and after it the signal has the effect that it had before (it ends the program).
  bool save_before_preemption = false;
  /// Asked after each execution and each epoch; true: a backup now, whatever save_freq says. For
  /// programs that are told to end soon.
  std::function<bool()> save_now = {};
};

/// Lets a training that was interrupted, in whatever way, go on in another process and end with the
/// weights of one that was not (Keras's BackupAndRestore).
///
/// A backup is `latest.weights.h5` in `backup_dir` with the weights and the optimizer's state, in
/// Keras's layout, and beside them what else the rest of the training depends on: the epoch and
/// step, the seed of fit's shuffling, the metrics of the epoch that is under way, and the state of
/// the other callbacks. It replaces the one before at once, when it is complete.
/// `training_metadata.json` has the position for people and for Keras.
///
/// fit then goes on at that position: batches that were done are read again but not trained on.
/// Data that does not repeat itself (a generator that goes on where it was) cannot be resumed
/// within an epoch.
///
/// Throws ValueError for an empty `backup_dir`, another `save_freq`, neither a `save_freq` nor
/// `save_before_preemption`, and in fit for a model that was not built.
class BackupAndRestore : public Callback {
 public:
  explicit BackupAndRestore(const std::string& backup_dir, BackupAndRestoreOptions options = {});
  explicit BackupAndRestore(const BackupAndRestoreOptions& options)
      : BackupAndRestore(options.backup_dir, options) {}

  static constexpr const char* kName = "BackupAndRestore";
  static BackupAndRestore from_config(const Json& config);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_begin(int64_t epoch, const Logs& logs) override;
  void on_train_batch_end(int64_t batch, const Logs& logs) override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  bool uses(BatchHook) const override {
    return options_.save_freq.batches() > 0 || options_.save_now != nullptr ||
           options_.save_before_preemption;
  }
  bool runs_last() const override { return true; }

 private:
  struct Restored;
  /// Whether a backup was asked for from outside.
  bool asked() const;
  std::string path(const char* name) const;
  void restore(const std::string& weights);
  /// Writes a backup that resumes at step `step` of `epoch`.
  void save(int64_t epoch, int64_t step);

  BackupAndRestoreOptions options_;
  BatchCounter counter_;
  int64_t epoch_ = 0;
  bool due_ = false;                              ///< at the end of this epoch
  std::shared_ptr<const Restored> unfinished_;    ///< of an epoch that goes on in the middle
  std::shared_ptr<PreemptionNotice> preemption_;  ///< while fit runs
};

}  // namespace antler::callbacks
