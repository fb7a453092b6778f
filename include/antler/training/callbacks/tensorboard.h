#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// How often batch values are written: "batch" (each), "epoch" (never), or every n batches.
class UpdateFreq {
 public:
  UpdateFreq(const char* name);                              // NOLINT(google-explicit-constructor)
  UpdateFreq(const std::string& name);                       // NOLINT(google-explicit-constructor)
  UpdateFreq(int64_t batches);                               // NOLINT(google-explicit-constructor)
  UpdateFreq(int batches) : UpdateFreq(int64_t{batches}) {}  // NOLINT(google-explicit-constructor)
  /// n; 0: never.
  int64_t batches() const { return batches_; }

 private:
  int64_t batches_ = 0;
};

/// Which batches of a fit are profiled, counted from 1: none, one, or a range with both ends.
struct ProfileBatch {
  ProfileBatch() = default;
  ProfileBatch(int64_t batch);  // NOLINT(google-explicit-constructor): 0 = none
  ProfileBatch(int batch) : ProfileBatch(int64_t{batch}) {}  // NOLINT(google-explicit-constructor)
  ProfileBatch(int64_t start, int64_t stop);
  /// "5" or "2,6". All constructors throw ValueError for negative numbers and for a range that ends
  /// before it starts, this one also for any other string.
  ProfileBatch(const std::string& text);  // NOLINT(google-explicit-constructor)
  int64_t first = 0;
  int64_t last = -1;
};

/// Files with the labels of embeddings, one per line; relative to the log folder.
struct EmbeddingsMetadata {
  EmbeddingsMetadata() = default;
  EmbeddingsMetadata(const char* path) : of_all(path) {}  // NOLINT(google-explicit-constructor)
  EmbeddingsMetadata(std::string path)
      : of_all(std::move(path)) {}  // NOLINT(google-explicit-constructor)
  EmbeddingsMetadata(
      std::map<std::string, std::string> layers)  // NOLINT(google-explicit-constructor)
      : by_layer(std::move(layers)) {}
  std::string of_all;                           ///< for every Embedding; empty: none
  std::map<std::string, std::string> by_layer;  ///< by the layer's name
};

/// Options of TensorBoard.
struct TensorBoardOptions {
  std::string log_dir = "logs";  ///< folder of the event files
  int64_t histogram_freq = 0;    ///< write histograms of the weights every n epochs; 0: never
  bool write_graph = true;       ///< the model's configuration
  bool write_images = false;     ///< weights as images, with the histograms
  bool write_steps_per_second = false;  ///< speed, each epoch
  UpdateFreq update_freq = "epoch";     ///< how often values of batches are written
  ProfileBatch profile_batch = {};      ///< kernel times as trace events, below plugins/profile
  int64_t embeddings_freq = 0;  ///< write a checkpoint for the projector every n epochs; 0: never
  EmbeddingsMetadata embeddings_metadata = {};  ///< labels of embeddings
};

/// Writes event files for TensorBoard (Keras's TensorBoard): `<log_dir>/train` and
/// `<log_dir>/validation`, created when there is something to write.
///
/// Tags: `epoch_<name>` at the epoch, `batch_<name>` at the number of batches trained,
/// `evaluation_<name>_vs_iterations` at the optimizer's iterations, `epoch_learning_rate` if the
/// rate is a schedule, `<weight>_0/histogram` and `<weight>_0/image`, `epoch_steps_per_second` and
/// `batch_steps_per_second`. For TensorBoard's projector: checkpoints of the weights,
/// `<log_dir>/train/keras_embedding.ckpt-<epoch>`, and `<log_dir>/projector_config.pbtxt`.
class TensorBoard : public Callback {
 public:
  explicit TensorBoard(const TensorBoardOptions& options = {});
  /// (A template, so that `{.log_dir = ...}` is not taken for a string.)
  template <StringLike S>
  explicit TensorBoard(const S& log_dir, TensorBoardOptions options = {})
      : TensorBoard(by_position<&TensorBoardOptions::log_dir>("TensorBoard", std::move(options),
                                                              std::string(log_dir))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(TensorBoard, TensorBoardOptions, std::string)

  static constexpr const char* kName = "TensorBoard";
  static TensorBoard from_config(const Json& config);

  bool chief_only() const override { return true; }
  void on_train_begin(const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_batch_begin(int batch, const Logs& logs) override;
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_test_end(const Logs& logs) override;
  bool uses(BatchHook hook) const override;

 private:
  struct State;
  void write_weights(int64_t epoch);
  void start_profile(int64_t batch);
  void stop_profile();

  TensorBoardOptions options_;
  std::shared_ptr<State> state_;  // shared: callbacks are passed by value
};

}  // namespace antler::callbacks
