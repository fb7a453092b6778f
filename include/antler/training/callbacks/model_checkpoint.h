#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/training/callbacks/monitor_callback.h"
#include "antler/training/callbacks/save_freq.h"

namespace antler::callbacks {

/// Options of ModelCheckpoint.
struct ModelCheckpointOptions {
  std::string filepath = {};         ///< may have fields, see below
  std::string monitor = "val_loss";  ///< name in the logs
  int verbose = 0;
  bool save_best_only = false;     ///< only when `monitor` improves
  bool save_weights_only = false;  ///< weights, not the model
  std::string mode = "auto";       ///< "min", "max" or "auto"
  SaveFreq save_freq = "epoch";    ///< "epoch" or a number of batches
  /// If given, the first value must be better than this one to be saved.
  std::optional<double> initial_value_threshold = {};
};

/// Saves the model, or its weights, while it trains (Keras's ModelCheckpoint).
///
/// `filepath` ends in ".keras" (whole model), ".weights.h5" or ".ckpt" (weights only; the latter is
/// a TensorFlow checkpoint, which SidecarEvaluator reads). It may contain fields with Python's
/// format specifications: `{epoch:02d}` and `{batch}` count from one, all others are names in the
/// logs, `{val_loss:.2f}`. Folders are created. A file appears under its name only when it is
/// complete. With several workers, only the chief saves; all workers keep track of the best value,
/// so that another one can take over if the chief is lost.
///
/// Throws ValueError for other extensions and an invalid `save_freq`, KeyError for a field that is
/// not in the logs, IOError if a folder has the file's name.
class ModelCheckpoint : public MonitorCallback {
 public:
  explicit ModelCheckpoint(const ModelCheckpointOptions& options);
  // A template, because g++ would also convert options in braces to a string.
  template <StringLike S>
  explicit ModelCheckpoint(const S& filepath, ModelCheckpointOptions options = {})
      : ModelCheckpoint(by_position<&ModelCheckpointOptions::filepath>(
            "ModelCheckpoint", std::move(options), std::string(filepath))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(ModelCheckpoint, ModelCheckpointOptions, std::string)

  static constexpr const char* kName = "ModelCheckpoint";
  static ModelCheckpoint from_config(const Json& config);

  bool decides_by_logs() const override { return true; }
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  bool uses(BatchHook) const override { return !options_.save_freq.per_epoch(); }
  void take_over(std::optional<int64_t> ended, const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;

  std::optional<double> best() const { return best_; }

 protected:
  /// Saves the model after this epoch (and batch), counted from 0, if its logs say so.
  void save(int64_t epoch, std::optional<int64_t> batch, const Logs& logs);

 private:
  bool should_save(int64_t epoch, const Logs& logs, const std::string& path);
  /// Saves the model, if this process is the chief.
  void write(int64_t epoch, const std::string& path) const;

  ModelCheckpointOptions options_;
  BatchCounter counter_;
  int64_t epoch_ = 0;
  std::string saved_;  ///< the file of the current weights; empty if they need no saving
};

}  // namespace antler::callbacks
