#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/variable.h"
#include "antler/nn/layer.h"
#include "antler/nn/optimizer.h"

/// TensorFlow's checkpoints (tf.train.Checkpoint, tf.train.CheckpointManager), in its files.
namespace antler {

/// What a checkpoint holds under a name; share() of a layer, model or optimizer gives the first
/// two.
using Trackable = std::variant<LayerPtr, OptimizerPtr, Variable>;

struct CheckpointOptions {
  /// Whose optimizers can take up the state of an optimizer: 2 (tf_keras) or 3. Weights are found
  /// by both.
  int keras_version = 3;
};

struct RestoreOptions {
  /// True: what the checkpoint lacks keeps its value, with a warning.
  bool expect_partial = false;
};

/// A set of objects whose state goes to files and back.
///
///     Checkpoint checkpoint({{"model", model.share()}, {"optimizer", model.optimizer().share()}});
///     const std::string path = checkpoint.save("run/ckpt");  // "run/ckpt-1"
///     checkpoint.restore(path);
class Checkpoint {
 public:
  using Objects = std::vector<std::pair<std::string, Trackable>>;

  explicit Checkpoint(Objects objects, const CheckpointOptions& options = {});

  /// Writes `prefix`.index and `prefix`.data-00000-of-00001, data first, each under a temporary
  /// name. Layers must be built. Throws IOError, NotFoundError, ValueError.
  void write(const std::string& prefix) const;
  /// Reads what write(), TensorFlow or tf_keras wrote; matches along the graph of objects.
  /// Optimizers are built by their owner before. Throws NotFoundError; IOError for damaged files;
  /// ValueError for a value that is missing or has another shape. Nothing is changed then.
  void read(const std::string& prefix, const RestoreOptions& options = {}) const;

  /// write() to `prefix`-N, N counting calls, then names it in the file `checkpoint` beside it.
  /// Returns the prefix with the number.
  std::string save(const std::string& prefix);
  /// read(), and the count of save() with it.
  void restore(const std::string& prefix, const RestoreOptions& options = {});
  /// Calls of save() so far.
  const Variable& save_counter() const { return save_counter_; }

 private:
  Objects objects_;
  CheckpointOptions options_;
  Variable save_counter_;
};

/// What the file `checkpoint` of a folder says.
struct CheckpointState {
  std::string model_checkpoint_path;                    ///< the newest; empty: none
  std::vector<std::string> all_model_checkpoint_paths;  ///< oldest first
  std::vector<double> all_model_checkpoint_timestamps;  ///< seconds since 1970; may be empty
  double last_preserved_timestamp = 0;
};

/// Reads the state of a folder; empty where there is none. Paths are full. Throws IOError.
CheckpointState get_checkpoint_state(const std::string& directory);
/// Prefix of the newest checkpoint of a folder whose files are there; none otherwise.
std::optional<std::string> latest_checkpoint(const std::string& directory);

struct CheckpointManagerOptions {
  /// Older checkpoints are deleted; not given: none is.
  std::optional<int64_t> max_to_keep = {};
  /// Keeps one of those for each so many hours.
  std::optional<double> keep_checkpoint_every_n_hours = {};
  std::string checkpoint_name = "ckpt";
};

/// Keeps the last few checkpoints of a folder.
class CheckpointManager {
 public:
  /// Goes on with the folder's state. Throws ValueError for a `max_to_keep` below 1.
  CheckpointManager(Checkpoint checkpoint, std::string directory,
                    CheckpointManagerOptions options = {});

  /// Writes the next checkpoint, or the one of this number, and deletes the oldest. Returns its
  /// prefix.
  std::string save(std::optional<int64_t> checkpoint_number = {});
  /// Prefixes that are kept, oldest first.
  const std::vector<std::string>& checkpoints() const { return paths_; }
  std::optional<std::string> latest_checkpoint() const;
  /// Restores the newest; returns its prefix, none where there is no checkpoint.
  std::optional<std::string> restore_latest(const RestoreOptions& options = {});

 private:
  void sweep();
  void write_state() const;

  Checkpoint checkpoint_;
  std::string directory_;
  CheckpointManagerOptions options_;
  std::vector<std::string> paths_;
  std::vector<double> times_;
  double last_preserved_ = 0;
};

}  // namespace antler
