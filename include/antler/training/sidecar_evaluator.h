#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/training/callbacks/model_checkpoint.h"
#include "antler/training/model.h"

namespace antler::utils {

/// Arguments of SidecarEvaluator behind the folder, Keras 2's, in its order.
struct SidecarEvaluatorOptions {
  std::optional<int64_t> steps = {};  ///< batches of each evaluation; endless data needs it
  /// The number in the name of the last checkpoint to evaluate (that of its epoch, or of its call
  /// of save()); not given: start() does not return.
  std::optional<int64_t> max_evaluations = {};
  Callbacks callbacks = {};
  double poll_seconds = 1;  ///< between looks into the folder
};

/// Evaluates a model on each new checkpoint of a folder, in a process beside the one that trains
/// (Keras 2's keras.utils.SidecarEvaluator). Some are passed over when they come faster than they
/// are evaluated. The training side saves by a CheckpointManager of "model" and "optimizer", or by
/// `ModelCheckpoint("run/ckpt-{epoch}.ckpt", {.save_weights_only = true})`.
///
///     model.compile({.loss = "mse", .metrics = {"mae"}});
///     utils::SidecarEvaluator(model, data, "run", {.max_evaluations = 10}).start();
class SidecarEvaluator {
 public:
  /// The model is compiled, and built; it outlives the evaluator.
  SidecarEvaluator(Model& model, FitData data, std::string checkpoint_dir,
                   SidecarEvaluatorOptions options = {});
  /// Evaluates until the last checkpoint. A checkpoint that cannot be read, as it is being written
  /// or was deleted, is tried again. Throws what evaluate() throws.
  void start();
  /// Loss and metrics of the last evaluation; empty before the first.
  const HostLogs& results() const { return results_; }

 private:
  /// False for a checkpoint that is not complete.
  bool restore(const std::string& prefix);

  Model& model_;
  FitData data_;
  std::string checkpoint_dir_;
  SidecarEvaluatorOptions options_;
  HostLogs results_;
};

}  // namespace antler::utils

namespace antler::callbacks {

/// Arguments of SidecarEvaluatorModelExport behind the paths, those of ModelCheckpoint.
struct SidecarEvaluatorModelExportOptions {
  std::string monitor = "val_loss";
  int verbose = 0;
  bool save_weights_only = false;
  std::string mode = "auto";
  std::optional<double> initial_value_threshold = {};
};

/// In a SidecarEvaluator: saves the model whenever an evaluation was the best so far, under a name
/// with the epoch of the checkpoint that was evaluated (Keras 2's class of this name).
class SidecarEvaluatorModelExport : public ModelCheckpoint {
 public:
  /// `checkpoint_filepath` is where the training side saves, with "ckpt-" before the epoch, from
  /// which the epoch is taken: "run/ckpt-{epoch:04d}.ckpt".
  SidecarEvaluatorModelExport(const std::string& export_filepath, std::string checkpoint_filepath,
                              const SidecarEvaluatorModelExportOptions& options = {});
  void on_test_begin(const Logs& logs) override;
  void on_test_end(const Logs& logs) override;

 private:
  std::string checkpoint_filepath_;
  int64_t epoch_of_checkpoint_ = 0;  ///< from 0
};

}  // namespace antler::callbacks
