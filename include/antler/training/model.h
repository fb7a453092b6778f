#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/nn/compile_types.h"
#include "antler/nn/layer.h"
#include "antler/runtime/function.h"
#include "antler/training/callback.h"
#include "antler/training/history.h"
#include "antler/training/logs.h"
#include "antler/training/save_options.h"

namespace antler {

/// One batch as a step function gets it. `y` and `sample_weight` may be undefined.
struct Batch {
  Nest x;
  Nest y = {};
  Nest sample_weight = {};
};

/// Arguments of Model::compile, Keras 2's, in its order.
struct CompileArguments {
  OptimizerSpec optimizer = "rmsprop";
  LossSpec loss = {};
  MetricSpec metrics = {};
  std::vector<double> loss_weights = {};  ///< one per output; empty = all 1
  MetricSpec weighted_metrics = {};
  std::optional<bool> run_eagerly = {};
  std::optional<int64_t> steps_per_execution = {};  ///< not given or 0 = 1
  std::optional<bool> jit_compile = {};             ///< false: no fusion across ops
};

/// Data that fit() evaluates after each epoch.
struct ValidationData {
  Nest x = {};
  Nest y = {};
  Nest sample_weight = {};
  bool given() const { return !x.is_none(); }
};

/// Arguments of Model::fit behind x and y, Keras 2's, in its order.
struct FitOptions {
  std::optional<int64_t> batch_size = {};  ///< not given: 32
  int64_t epochs = 1;
  std::optional<int> verbose = {};  ///< 0 silent, 1 bar, 2 a line per epoch; not given = "auto"
  Callbacks callbacks = {};
  double validation_split = 0.0;  ///< the tail of the data, taken before shuffling
  ValidationData validation_data = {};
  bool shuffle = true;
  std::map<int64_t, double> class_weight = {};
  Nest sample_weight = {};
  int64_t initial_epoch = 0;
  std::optional<int64_t> steps_per_epoch = {};
  std::optional<int64_t> validation_steps = {};
  std::optional<int64_t> validation_batch_size = {};
  int64_t validation_freq = 1;
};

struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};
  std::optional<int> verbose = {};
  Nest sample_weight = {};
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

struct PredictOptions {
  std::optional<int64_t> batch_size = {};
  std::optional<int> verbose = {};
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

struct SummaryOptions {
  int line_length = 65;
  bool expand_nested = false;
  bool show_trainable = false;
};

struct ModelState;
class DataSource;

/// A network with its training loop, Keras's Model. A handle: copies share weights and training
/// state.
///
/// Functional: `Model(inputs, outputs)` over placeholders. Subclassed: derive, hold layers with
/// `track`, override `call`, and any of the step functions; what they do is traced and compiled as
/// the built-in ones are.
class Model : public Layer {
 public:
  /// For subclasses.
  explicit Model(const LayerOptions& options = {});
  /// Functional: the graph of layers between these placeholders. Throws ValueError when `outputs`
  /// do not depend on `inputs` alone.
  Model(const Nest& inputs, const Nest& outputs, const std::string& name = "");

  /// A copy is an alias. (Of a subclass only this part is copied: pass those by reference.)
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

  using Layer::operator();
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;

  // ---- configuration ----
  /// Sets optimizer, loss and metrics; drops compiled functions. Weights stay. Throws ValueError
  /// for an unknown optimizer and for a metric object given twice; losses and metrics are resolved
  /// at the first step.
  virtual void compile(const CompileArguments& arguments = {});
  bool compiled() const;
  Optimizer& optimizer() const;
  /// Writable; takes effect at the next execution.
  void set_steps_per_execution(int64_t n);
  int64_t steps_per_execution() const;
  /// Set by a callback: training ends after the present batch.
  void set_stop_training(bool stop);
  bool stop_training() const;
  /// Drops the functions that are already compiled where the value changes.
  void set_run_eagerly(bool on);
  bool run_eagerly() const;

  // ---- training, Keras's loop ----
  /// Trains. Arrays have their samples along axis 0. Throws RuntimeError before compile(),
  /// ValueError for arguments that do not fit. The model stays usable after an error.
  History fit(const Nest& x, const Nest& y = {}, const FitOptions& options = {});
  /// Loss and metrics over the data: names and values in metrics_names() order.
  HostLogs evaluate(const Nest& x, const Nest& y = {}, const EvaluateOptions& options = {});
  /// Outputs for all samples, batches concatenated. Needs no compile().
  Nest predict(const Nest& x, const PredictOptions& options = {});
  HostLogs train_on_batch(const Nest& x, const Nest& y = {}, const Nest& sample_weight = {},
                          bool reset_metrics = true);
  HostLogs test_on_batch(const Nest& x, const Nest& y = {}, const Nest& sample_weight = {},
                         bool reset_metrics = true);
  Nest predict_on_batch(const Nest& x);

  // ---- steps, traced and compiled; override one by one ----
  virtual Logs train_step(const Batch& batch);
  virtual Logs test_step(const Batch& batch);
  virtual Nest predict_step(const Batch& batch);
  /// The value to minimise: compiled losses plus losses(). Undefined when there are none.
  virtual Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                              const Nest& sample_weight);
  /// Updates the compiled metrics, then get_metrics_result().
  virtual Logs compute_metrics(const Nest& x, const Nest& y, const Nest& y_pred,
                               const Nest& sample_weight);
  Logs get_metrics_result() const;
  /// Function of one step over [x, y, sample_weight], compiled once and kept until compile().
  virtual Function make_train_function(bool force = false);
  virtual Function make_test_function(bool force = false);
  virtual Function make_predict_function(bool force = false);

  /// Trackers of the loss, compiled metrics, and metrics tracked by subclasses, in the order of the
  /// logs. Empty until the first step.
  std::vector<MetricPtr> metrics() const;
  std::vector<std::string> metrics_names() const;
  void reset_metrics();
  History& history() const;

  // ---- structure ----
  /// Layers in Keras's order.
  std::vector<LayerPtr> layers() const;
  /// Throws ValueError unless exactly one of the two is given and found.
  LayerPtr get_layer(const std::optional<std::string>& name = {},
                     std::optional<int64_t> index = {}) const;
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
  /// Table of layers, shapes and parameters in Keras 2's layout. Throws ValueError for a model that
  /// was not built.
  std::string summary_text(const SummaryOptions& options = {}) const;
  /// Prints it.
  void summary(const SummaryOptions& options = {}) const;

  // ---- files; load_model() in training/saving.h is the reverse of save() ----
  /// Writes architecture, weights, compile arguments and optimizer state as Keras's `.keras`
  /// archive, under a temporary name that is renamed at the end. Throws ValueError for another
  /// ending and for a model that was not built, NotFoundError for a folder that does not exist.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  /// Weights (and optimizer state) in Keras's `.weights.h5`, or as an `.npz` of arrays named by
  /// path.
  void save_weights(const std::string& path, const SaveOptions& options = {}) const;
  /// Reads `.weights.h5`, an index `.weights.json` of shards, the weights of a `.keras` file, or
  /// `.npz`. Throws ValueError when counts, names or shapes do not match; nothing is changed then.
  void load_weights(const std::string& path, const LoadWeightsOptions& options = {});
  /// The architecture as Keras's JSON text; model_from_json() reads it.
  std::string to_json() const;
  /// Keras's configuration of a functional or sequential model.
  Json get_config() const override;
  /// Exact bytes of a training step for batches like these.
  ProgramMemory memory_plan(const Batch& example);

 protected:
  explicit Model(std::string class_name, const LayerOptions& options);
  LayerPtr clone_handle() const override;
  using Layer::track;
  /// Registers a metric of a subclass: it is reset with the others and joins metrics().
  template <std::derived_from<Metric> M>
  M track(const std::string&, M metric) {
    add_metric(metric.share());
    return metric;
  }
  void add_metric(MetricPtr metric);
  /// Turns this into a functional model.
  void set_graph(const Nest& inputs, const Nest& outputs);
  const std::shared_ptr<ModelState>& model_state() const { return model_; }

 private:
  HostLogs evaluate_source(DataSource& source, CallbackList& callbacks,
                           std::optional<int64_t> steps);
  void require_compiled(const char* what) const;

  std::shared_ptr<ModelState> model_;
};

}  // namespace antler
