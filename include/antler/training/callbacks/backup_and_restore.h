#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/training/callback.h"
#include "antler/training/callbacks/save_freq.h"

namespace antler::callbacks {

class PreemptionNotice;

/// Options of BackupAndRestore.
struct BackupAndRestoreOptions {
  std::string backup_dir = {};  ///< created if it does not exist
  /// "epoch", a number of batches or, with `save_before_preemption`, SaveFreq::never().
  SaveFreq save_freq = "epoch";
  bool double_checkpoint = false;  ///< keep the previous backup too, in case the last is damaged
  bool delete_checkpoint = true;   ///< when training ends normally
  /// On SIGTERM, which announces preemption: save after the current execution, then let the signal
  /// take its usual effect (it ends the program).
  bool save_before_preemption = false;
  /// Called after each execution and each epoch. If it returns true, a backup is written, whatever
  /// `save_freq` is.
  std::function<bool()> save_now = {};
};

/// Resumes an interrupted training in another process, so that it ends with the same weights as one
/// that was not interrupted (Keras's BackupAndRestore).
///
/// A backup is the file `latest.weights.h5` in `backup_dir`. It holds the weights and the
/// optimizer's state in Keras's layout, and everything else that the rest of the training depends
/// on: epoch and step, the seed of fit's shuffling, the metrics of the current epoch, and the state
/// of the other callbacks. It replaces the previous backup atomically. `training_metadata.json` has
/// the position for people and for Keras.
///
/// fit continues at that position. It reads the batches before it again, but does not train on
/// them. Training cannot be resumed within an epoch if the data does not repeat (a generator that
/// keeps its position).
///
/// With several workers, only the chief saves. When training resumes, all workers get its state.
///
/// Throws ValueError for an empty `backup_dir`, an invalid `save_freq`, neither a `save_freq` nor
/// `save_before_preemption`, and in fit for a model that is not built.
class BackupAndRestore : public Callback {
 public:
  explicit BackupAndRestore(const BackupAndRestoreOptions& options);
  // A template, because g++ would also convert options in braces to a string.
  template <StringLike S>
  explicit BackupAndRestore(const S& backup_dir, BackupAndRestoreOptions options = {})
      : BackupAndRestore(by_position<&BackupAndRestoreOptions::backup_dir>(
            "BackupAndRestore", std::move(options), std::string(backup_dir))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(BackupAndRestore, BackupAndRestoreOptions, std::string)

  static constexpr const char* kName = "BackupAndRestore";
  static BackupAndRestore from_config(const Json& config);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  void take_over(std::optional<int64_t> ended, const Logs& logs) override;
  bool uses(BatchHook) const override {
    return options_.save_freq.batches() > 0 || options_.save_now != nullptr ||
           options_.save_before_preemption;
  }
  bool runs_last() const override { return true; }
  bool decides_by_logs() const override { return true; }  // it never stops training

 private:
  struct Restored;
  /// Whether `save_now` or a signal asks for a backup.
  bool asked() const;
  std::string path(const char* name) const;
  /// Returns the file that was read; empty if there is none.
  std::string restore_if_there();
  /// Sends the state of the chief's backup to all workers.
  void restore_from_chief();
  /// Restores the content of a weights file.
  void restore_copy(const std::string& bytes);
  void restore(const std::string& weights);
  /// Writes a backup from which training resumes at step `step` of `epoch`.
  void save(int64_t epoch, int64_t step);

  BackupAndRestoreOptions options_;
  BatchCounter counter_;
  int64_t epoch_ = 0;
  bool due_ = false;                              ///< save at the end of this epoch
  bool saved_epoch_ = false;                      ///< the last one that ended
  std::shared_ptr<const Restored> unfinished_;    ///< of an epoch that is resumed in the middle
  std::shared_ptr<PreemptionNotice> preemption_;  ///< while fit runs
};

}  // namespace antler::callbacks
