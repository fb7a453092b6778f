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

/// TensorFlow's checkpoints (tf.train.Checkpoint, tf.train.CheckpointManager) in its file format.
namespace antler {

/// An object that a checkpoint can hold under a name. share() of a layer, model or optimizer
/// returns the pointer.
using Trackable = std::variant<LayerPtr, OptimizerPtr, Variable>;

/// Options of Checkpoint.
struct CheckpointOptions {
  /// The Keras version that can load the state of optimizers: 2 (tf_keras) or 3. Both load the
  /// weights.
  int keras_version = 3;
};

/// Options of restore().
struct RestoreOptions {
  /// If true, values missing from the checkpoint are left unchanged, with a warning.
  bool expect_partial = false;
};

/// Saves and restores the state of a set of objects.
///
///     Checkpoint checkpoint({{"model", model.share()}, {"optimizer", model.optimizer().share()}});
///     const std::string path = checkpoint.save("run/ckpt");  // "run/ckpt-1"
///     checkpoint.restore(path);
class Checkpoint {
 public:
  using Objects = std::vector<std::pair<std::string, Trackable>>;

  explicit Checkpoint(Objects objects, const CheckpointOptions& options = {});
  /// Adds an object. Throws ValueError for a name that is taken.
  void track(const std::string& name, const Trackable& object);
  /// All variables of the objects, and save_counter(). Layers and optimizers that are not built
  /// have none yet.
  Variables variables() const;

  /// Writes `prefix`.data-00000-of-00001, then `prefix`.index, each atomically. Layers must be
  /// built. Throws IOError, NotFoundError, ValueError.
  void write(const std::string& prefix) const;
  /// Reads what write(), TensorFlow or tf_keras wrote; objects are matched by their names in the
  /// object graph. Optimizers must be built. Throws NotFoundError, IOError for damaged files, and
  /// ValueError for a value that is missing or has another shape. No variable is changed then.
  void read(const std::string& prefix, const RestoreOptions& options = {}) const;

  /// write() to `prefix`-N, where N counts the calls, then updates the file `checkpoint` in the
  /// same folder. Returns the numbered prefix.
  std::string save(const std::string& prefix);
  /// read(), including the counter of save().
  void restore(const std::string& prefix, const RestoreOptions& options = {});
  /// Calls of save() so far.
  const Variable& save_counter() const { return save_counter_; }

 private:
  Objects objects_;
  CheckpointOptions options_;
  Variable save_counter_;
};

/// The contents of the file `checkpoint` of a folder.
struct CheckpointState {
  std::string model_checkpoint_path;                    ///< the newest; empty if there is none
  std::vector<std::string> all_model_checkpoint_paths;  ///< oldest first
  std::vector<double> all_model_checkpoint_timestamps;  ///< seconds since 1970; may be empty
  double last_preserved_timestamp = 0;
};

/// Reads the file `checkpoint` of a folder; empty if there is none. Paths include the folder.
/// Throws IOError.
CheckpointState get_checkpoint_state(const std::string& directory);
/// Prefix of the newest checkpoint of a folder; nullopt if there is none or its files are gone.
std::optional<std::string> latest_checkpoint(const std::string& directory);

/// Options of CheckpointManager.
struct CheckpointManagerOptions {
  /// Older checkpoints are deleted; by default all are kept.
  std::optional<int64_t> max_to_keep = {};
  /// Keeps one of the older checkpoints per this many hours.
  std::optional<double> keep_checkpoint_every_n_hours = {};
  std::string checkpoint_name = "ckpt";  ///< prefix of the file names
};

/// Keeps the last few checkpoints of a folder.
class CheckpointManager {
 public:
  /// Continues from the state in `directory`. Throws ValueError if `max_to_keep` is below 1.
  CheckpointManager(Checkpoint checkpoint, std::string directory,
                    CheckpointManagerOptions options = {});

  /// The checkpoint that is saved.
  Checkpoint& checkpoint() { return checkpoint_; }
  /// Writes the next checkpoint, or the one with this number, and deletes the oldest ones. Returns
  /// the new prefix.
  std::string save(std::optional<int64_t> checkpoint_number = {});
  /// Prefixes of the kept checkpoints, oldest first.
  const std::vector<std::string>& checkpoints() const { return paths_; }
  std::optional<std::string> latest_checkpoint() const;
  /// Restores the newest checkpoint. Returns its prefix, or nullopt if there is none.
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
