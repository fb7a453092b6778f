#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/training/callbacks/model_checkpoint.h"
#include "antler/training/model.h"

namespace antler::utils {

/// Arguments of SidecarEvaluator after the folder, in Keras 2's order.
struct SidecarEvaluatorOptions {
  std::optional<int64_t> steps = {};  ///< batches per evaluation; required for infinite data
  /// The number in the name of the last checkpoint to evaluate (its epoch, or the count of save());
  /// not given: start() does not return.
  std::optional<int64_t> max_evaluations = {};
  Callbacks callbacks = {};  ///< called during the run
  double poll_seconds = 1;   ///< time between checks of the folder
};

/// Evaluates each new checkpoint in a folder, in a separate process from the one that trains (Keras
/// 2's keras.utils.SidecarEvaluator). If checkpoints come faster than they can be evaluated, some
/// are skipped. The training process saves with a CheckpointManager of "model" and "optimizer", or
/// with `ModelCheckpoint("run/ckpt-{epoch}.ckpt", {.save_weights_only = true})`.
///
///     model.compile({.loss = "mse", .metrics = {"mae"}});
///     utils::SidecarEvaluator(model, data, "run", {.max_evaluations = 10}).start();
class SidecarEvaluator {
 public:
  /// The model must be compiled and built, and outlive the evaluator.
  SidecarEvaluator(Model& model, FitData data, std::string checkpoint_dir,
                   SidecarEvaluatorOptions options = {});
  /// Evaluates up to the last checkpoint. A checkpoint that cannot be read (it is being written, or
  /// was deleted) is retried. Throws what evaluate() throws.
  void start();
  /// Loss and metrics of the last evaluation; empty before the first.
  const HostLogs& results() const { return results_; }

 private:
  /// False if the checkpoint cannot be read.
  bool restore(const std::string& prefix);

  Model& model_;
  FitData data_;
  std::string checkpoint_dir_;
  SidecarEvaluatorOptions options_;
  HostLogs results_;
};

}  // namespace antler::utils

namespace antler::callbacks {

/// Arguments of SidecarEvaluatorModelExport after the paths; they mean the same as those of
/// ModelCheckpoint.
struct SidecarEvaluatorModelExportOptions {
  std::string monitor = "val_loss";  ///< name in the logs
  int verbose = 0;
  bool save_weights_only = false;                      ///< weights, not the model
  std::string mode = "auto";                           ///< "min", "max" or "auto"
  std::optional<double> initial_value_threshold = {};  ///< the value that the first one must beat
};

/// Keras 2's callback for a SidecarEvaluator: saves the model after each evaluation that is the
/// best so far, under a name with the epoch of the evaluated checkpoint.
class SidecarEvaluatorModelExport : public ModelCheckpoint {
 public:
  /// `checkpoint_filepath` is where training saves its checkpoints, such as
  /// "run/ckpt-{epoch:04d}.ckpt". The epoch is the number after "ckpt-".
  SidecarEvaluatorModelExport(const std::string& export_filepath, std::string checkpoint_filepath,
                              const SidecarEvaluatorModelExportOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SidecarEvaluatorModelExport, SidecarEvaluatorModelExportOptions,
                             const std::string&, std::string)
  void on_test_begin(const Logs& logs) override;
  void on_test_end(const Logs& logs) override;

 private:
  std::string checkpoint_filepath_;
  int64_t epoch_of_checkpoint_ = 0;  // counted from 0
};

}  // namespace antler::callbacks
