#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/session_run_hook.h"

namespace antler::estimator {

/// Options of Saver.
struct SaverOptions {
  std::optional<int64_t> max_to_keep = 5;        ///< 0 or None: all
  double keep_checkpoint_every_n_hours = 10000;  ///< one per this many hours is kept
  /// Writes paths into the file `checkpoint` relative to its folder, so that it can be moved.
  bool save_relative_paths = false;
};

/// Saves the global variables of a graph as TensorFlow checkpoints, restores them, and deletes old
/// checkpoints (tf.compat.v1.train.Saver). Remembers the checkpoints that it wrote. A handle.
class Saver {
 public:
  explicit Saver(const SaverOptions& options = {});
  /// Writes PREFIX-STEP.index and .data-00000-of-00001, and .meta if there is a graph file; then
  /// the file `checkpoint` of the folder. Files are written under temporary names and renamed. Then
  /// deletes old checkpoints. Returns "PREFIX-STEP". Throws IOError.
  std::string save(const Graph& graph, const std::string& prefix, int64_t step,
                   bool write_meta_graph = true);
  /// Sets the global variables of `graph` to the values in the checkpoint. Throws a NotFoundError
  /// that lists the missing names ("Restoring from checkpoint failed ... not found in checkpoint"),
  /// or a ValueError that lists shapes that differ. Changes nothing then.
  void restore(const Graph& graph, const std::string& checkpoint) const;
  /// Continues the list of checkpoints in the file `checkpoint` of the folder
  /// (recover_last_checkpoints).
  void recover_last_checkpoints(const std::string& directory);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Prefix of the newest checkpoint of a folder; nullopt if there is none, or if the file
/// `checkpoint` names one that does not exist (which is logged).
std::optional<std::string> latest_checkpoint(const std::string& directory);

/// What happens when a session is created (tf.compat.v1.train.Scaffold). All fields are optional.
class Scaffold {
 public:
  /// Called for a new session without a checkpoint, after the variables are initialized. It may
  /// assign them.
  std::function<void(Session& session)> init_fn = {};
  std::optional<Saver> saver = {};
};

}  // namespace antler::estimator
