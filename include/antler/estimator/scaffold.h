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
  double keep_checkpoint_every_n_hours = 10000;  ///< one per this many hours is never deleted
  /// Writes paths into the file `checkpoint` relative to its folder, so that it can be moved.
  bool save_relative_paths = false;
};

/// Saves the global variables of a graph as TensorFlow checkpoints, restores them, and deletes old
/// ones (tf.compat.v1.train.Saver). Remembers which it wrote. A handle.
class Saver {
 public:
  explicit Saver(const SaverOptions& options = {});
  /// Writes PREFIX-STEP.index, .data-00000-of-00001, and with a graph file .meta; then the file
  /// `checkpoint` of the folder, under temporary names that are renamed; then deletes what is too
  /// old. Returns "PREFIX-STEP". Throws IOError.
  std::string save(const Graph& graph, const std::string& prefix, int64_t step,
                   bool write_meta_graph = true);
  /// Gives the global variables of `graph` the values in the checkpoint. Throws NotFoundError that
  /// lists the names that it lacks ("Restoring from checkpoint failed ... not found in
  /// checkpoint"), ValueError that lists both shapes where they differ. Changes nothing then.
  void restore(const Graph& graph, const std::string& checkpoint) const;
  /// Continues the list of checkpoints that the file `checkpoint` of the folder has
  /// (recover_last_checkpoints).
  void recover_last_checkpoints(const std::string& directory);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Prefix of the newest checkpoint of a folder; not given if there is none, or if the file
/// `checkpoint` names one that does not exist (which is logged).
std::optional<std::string> latest_checkpoint(const std::string& directory);

/// What happens when a session is created (tf.compat.v1.train.Scaffold). All fields are optional.
class Scaffold {
 public:
  /// Called on a new session without checkpoint, after the variables have their initial values; may
  /// assign them.
  std::function<void(Session& session)> init_fn = {};
  std::optional<Saver> saver = {};
};

}  // namespace antler::estimator
