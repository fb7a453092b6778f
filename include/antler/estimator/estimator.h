#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/estimator/hooks.h"
#include "antler/estimator/input_fn.h"
#include "antler/estimator/model_fn.h"
#include "antler/estimator/run_config.h"
#include "antler/estimator/serving.h"
#include "antler/estimator/warm_start.h"
#include "antler/training/logs.h"

namespace antler::estimator {

class Runner;
struct EstimatorState;

/// Arguments of Estimator.
struct EstimatorOptions {
  std::optional<std::string> model_dir = {};  ///< not given, nor in config: a temporary folder
  std::optional<RunConfig> config = {};       ///< not given: RunConfig()
  Params params = {};                         ///< for model_fn and input_fn
  WarmStart warm_start_from = {};             ///< values to start from
};

/// Options of train().
struct TrainOptions {
  Hooks hooks = {};                                ///< called around the steps
  std::optional<int64_t> steps = {};               ///< from the step of the checkpoint
  std::optional<int64_t> max_steps = {};           ///< in all; not with `steps`
  std::vector<ListenerPtr> saving_listeners = {};  ///< called when checkpoints are written
};

/// Arguments of Estimator::evaluate() after the input function.
struct EvaluateOptions {
  std::optional<int64_t> steps = {};                ///< not given: to the end of the data
  Hooks hooks = {};                                 ///< called around the steps
  std::optional<std::string> checkpoint_path = {};  ///< not given: the newest
  std::optional<std::string> name = {};             ///< writes to MODEL_DIR/eval_NAME
};

/// Arguments of Estimator::predict() after the input function.
struct PredictOptions {
  std::optional<std::vector<std::string>> predict_keys = {};  ///< not given: all predictions
  Hooks hooks = {};                                           ///< called around the steps
  std::optional<std::string> checkpoint_path = {};            ///< not given: the newest
  bool yield_single_examples = true;                          ///< false: a batch at a time
};

/// Arguments of Estimator's export functions after the folder.
struct ExportOptions {
  std::map<std::string, std::string> assets_extra = {};  ///< path below assets.extra -> file
  bool as_text = false;                                  ///< write saved_model.pbtxt
  std::optional<std::string> checkpoint_path = {};       ///< not given: the newest
  ModeKeys mode = ModeKeys::predict;                     ///< of the model function that is exported
};

/// Metrics by name, then "loss" and "global_step", as evaluate() returns them.
using EvalResult = OrderedMap<Tensor>;

/// The predictions of predict(), computed batch by batch as they are read. An input range of
/// dictionaries (or tensors), one per example. Destroying it ends the session without calling the
/// hooks' end(). A handle.
class Predictions {
 public:
  /// Stores the next prediction; false at the end. Throws what reading, restoring and computing
  /// throw.
  bool next(Nest& prediction);
  /// One pass over the predictions, which are computed as they are read.
  class Iterator {
   public:
    using value_type = Nest;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Predictions* range) : range_(range) { ++*this; }
    const Nest& operator*() const { return value_; }
    Iterator& operator++() {
      done_ = !range_->next(value_);
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.done_; }

   private:
    Predictions* range_;
    Nest value_;
    bool done_ = false;
  };
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class Estimator;
  struct State;
  explicit Predictions(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

/// Trains and applies a model that a model_fn builds. Its state is in a folder of TensorFlow
/// checkpoints (tf.estimator.Estimator). A handle.
class Estimator {
 public:
  /// Throws ValueError for an undefined model_fn, different folders in `model_dir` and `config`, or
  /// an empty `model_dir`.
  explicit Estimator(ModelFn model_fn, const EstimatorOptions& options = {});

  const RunConfig& config() const;
  const std::string& model_dir() const;
  Params params() const;
  /// MODEL_DIR/eval, or MODEL_DIR/eval_NAME.
  std::string eval_dir(const std::optional<std::string>& name = {}) const;

  /// Trains until `steps`, `max_steps` or the end of the data, with checkpoints, summaries and logs
  /// as the config says. Continues from the newest checkpoint. Throws ValueError for wrong
  /// arguments or a spec without loss or train_op, NanLossDuringTrainingError, and what the user's
  /// functions throw.
  const Estimator& train(const InputFn& input_fn, const TrainOptions& options = {}) const;
  /// Metrics of the newest checkpoint (or of `checkpoint_path`), also written to eval_dir(name).
  /// Throws ValueError if there is none.
  EvalResult evaluate(const InputFn& input_fn, const EvaluateOptions& options = {}) const;
  /// Computes nothing, and throws nothing, before the first prediction is read.
  Predictions predict(const InputFn& input_fn, const PredictOptions& options = {}) const;

  /// Writes EXPORT_DIR_BASE/TIMESTAMP, a SavedModel with a signature per export_output, and returns
  /// its path. Throws ValueError without a receiver function or a checkpoint.
  std::string export_saved_model(const std::string& export_dir_base,
                                 const ServingInputReceiverFn& serving_input_receiver_fn,
                                 const ExportOptions& options = {}) const;
  /// One SavedModel with a graph per mode.
  std::string experimental_export_all_saved_models(
      const std::string& export_dir_base,
      const std::map<ModeKeys, ServingInputReceiverFn>& input_receiver_fn_map,
      const ExportOptions& options = {}) const;

  std::optional<std::string> latest_checkpoint() const;
  /// Names of the variables in the newest checkpoint, sorted. Throw ValueError if there is none.
  std::vector<std::string> get_variable_names() const;
  Tensor get_variable_value(const std::string& name) const;

  /// For the library's own components.
  const std::shared_ptr<EstimatorState>& state() const { return state_; }

 protected:
  explicit Estimator(std::shared_ptr<EstimatorState> state) : state_(std::move(state)) {}
  std::shared_ptr<EstimatorState> state_;
};

/// Arguments of TPUEstimator, in the order of TensorFlow's.
struct TPUEstimatorOptions {
  /// Folder of the files; not given: that of `config`, or a temporary one.
  std::optional<std::string> model_dir = {};
  std::optional<tpu::RunConfig> config = {};            ///< required
  Params params = {};                                   ///< for model_fn and input_fn
  bool use_tpu = true;                                  ///< false: one replica
  std::optional<int64_t> train_batch_size = {};         ///< global
  std::optional<int64_t> eval_batch_size = {};          ///< global
  std::optional<int64_t> predict_batch_size = {};       ///< global
  std::optional<std::vector<int64_t>> batch_axis = {};  ///< axis along which each input is divided
  bool eval_on_tpu = true;                              ///< evaluate on the replicas, too
  bool export_to_tpu = true;       ///< exports have a graph with the tags "serve", "tpu"
  bool export_to_cpu = true;       ///< exports have a graph with the tag "serve"
  WarmStart warm_start_from = {};  ///< values to start from
  int64_t export_saved_model_api_version = 1;  ///< 1 or 2; has no effect
};

/// An Estimator for accelerator systems (tf.estimator.tpu.TPUEstimator): several replicas, several
/// steps per execution, batch sizes in `params["batch_size"]`. With use_tpu = false it trains on
/// one plain device with the same functions. A handle.
class TPUEstimator : public Estimator {
 public:
  /// Throws ValueError for a missing config, reserved keys in params, a missing train_batch_size
  /// with use_tpu, a batch size that cannot be divided among the replicas, and so on.
  explicit TPUEstimator(ModelFn model_fn, const TPUEstimatorOptions& options = {});
};

}  // namespace antler::estimator
