#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"
#include "antler/nn/calibration_config.h"
#include "antler/nn/layer.h"
#include "antler/runtime/function.h"
#include "antler/training/callback.h"
#include "antler/training/compile_arguments.h"
#include "antler/training/fit_options.h"
#include "antler/training/history.h"
#include "antler/training/keywords.h"
#include "antler/training/logs.h"
#include "antler/training/save_options.h"

namespace antler {

/// One batch as a step function gets it. `y` and `sample_weight` may be undefined.
struct Batch {
  Nest x;
  Nest y = {};
  Nest sample_weight = {};
};

/// The parts of a batch: a list of one to three is (x), (x, y) or (x, y, sample_weight), anything
/// else is x alone. Throws ValueError for a longer list.
Batch unpack_x_y_sample_weight(const Nest& data);
/// The reverse: x alone (in a list if it is a list itself), (x, y) or (x, y, sample_weight).
Nest pack_x_y_sample_weight(const Nest& x, const Nest& y = {}, const Nest& sample_weight = {});

/// Argument type of Model::build: a shape, a list of shapes, or `InputShapes::dict()` by input
/// name. Dimension 0 is the batch; -1 is unknown.
class InputShapes {
 public:
  using Items = std::vector<std::pair<std::string, Shape>>;
  InputShapes(std::initializer_list<int64_t> dims)
      : kind_(Nest::Kind::tensor), shapes_{{"", Shape(dims)}} {}
  InputShapes(Shape shape)  // NOLINT(google-explicit-constructor)
      : kind_(Nest::Kind::tensor), shapes_{{"", std::move(shape)}} {}
  InputShapes(const std::vector<Shape>& shapes)  // NOLINT(google-explicit-constructor)
      : kind_(Nest::Kind::list) {
    for (const Shape& shape : shapes) shapes_.emplace_back("", shape);
  }
  static InputShapes dict(Items shapes) {
    InputShapes result(std::vector<Shape>{});
    result.kind_ = Nest::Kind::dict;
    result.shapes_ = std::move(shapes);
    return result;
  }
  Nest::Kind kind() const { return kind_; }
  const Items& items() const { return shapes_; }

 private:
  Nest::Kind kind_;
  Items shapes_;
};

/// Keras's arguments of a functional model by name: `Model({.inputs = x, .outputs = y})`.
/// (References, so that both must be there.)
struct FunctionalOptions {
  const Nest& inputs;
  const Nest& outputs;
  std::optional<std::string> name = {};
  bool trainable = true;
};

struct SummaryOptions {
  int line_length = 65;
  bool expand_nested = false;
  bool show_trainable = false;
};

struct ModelState;
namespace distribute {
class Strategy;
}
namespace training {
class Loop;
}

/// A network with its training loop, Keras's Model. A handle: copies share weights and training
/// state.
///
/// Functional: `Model(inputs, outputs)` over placeholders. Subclassed: derive, hold layers with
/// `track`, override `call`, and any of the step functions; what they do is traced and compiled as
/// the built-in ones are.
class Model : public Layer, public HasQuantizationBlocks {
 public:
  /// For subclasses.
  explicit Model(const LayerOptions& options = {});
  /// Functional: the graph of layers between these placeholders. Throws ValueError when `outputs`
  /// do not depend on `inputs` alone.
  Model(const Nest& inputs, const Nest& outputs, const LayerOptions& options = {});
  /// (A template, so that options in braces are not taken for a name.)
  template <std::convertible_to<std::string> S>
  Model(const Nest& inputs, const Nest& outputs, const S& name)
      : Model(inputs, outputs, LayerOptions{.name = std::string(name)}) {}
  explicit Model(const FunctionalOptions& options);

  /// A copy is an alias.
  Model(const Model&) = default;
  /// A subclass is not copied as a Model: its `call` and steps would be lost. Take it by reference,
  /// or share() it.
  template <std::derived_from<Model> M>
  requires(!std::same_as<M, Model>) Model(const M&)
  = delete;
  Model& operator=(const Model&) = default;

  using Layer::operator();
  using Layer::call;
  Tensor call(const Tensor& input) override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;

  // ---- configuration ----
  /// Sets optimizer, loss and metrics; drops compiled functions. Weights stay. Which layers are
  /// trainable is settled here: fit() and train_on_batch() go by what it was at the time of
  /// compile(). Throws ValueError for an unknown optimizer, for a metric object given twice and for
  /// `jit_compile` with `run_eagerly`; losses and metrics are resolved at the first step.
  virtual void compile(const CompileArguments& arguments = {});
  /// `compile("adam", "mse", {.metrics = {"mae"}})`. Throws TypeError for an argument that is given
  /// twice.
  void compile(OptimizerSpec optimizer, LossSpec loss, CompileArguments arguments = {});
  /// `compile(kw::loss = "mse", kw::optimizer = "adam")`: see keywords.h.
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) void compile(K... keywords) {
    compile(from_keywords<CompileArguments>(std::move(keywords)...));
  }
  bool compiled() const;
  /// The arguments of compile() in Keras's form; null before it. Throws ValueError for functions,
  /// which have no configuration.
  Json get_compile_config() const;
  /// compile() with the arguments that get_compile_config() or Keras wrote; then the optimizer is
  /// built if the model is. Null does nothing.
  virtual void compile_from_config(const Json& config);
  /// Throws RuntimeError where compile() gave none.
  Optimizer& optimizer() const;
  bool has_optimizer() const;
  /// Writable; takes effect at the next execution.
  void set_steps_per_execution(int64_t n);
  int64_t steps_per_execution() const;
  /// Whether a tuner sets the steps per execution while fit() runs; compile() with "auto" sets it.
  bool autotune_steps_per_execution() const;
  void set_autotune_steps_per_execution(bool on);
  /// Set by a callback: training ends after the present batch.
  void set_stop_training(bool stop);
  bool stop_training() const;
  /// For a callback's on_train_begin: this fit() begins at epoch `epoch`, step `step` of it, as an
  /// interrupted one left off. The data comes as it would have come then, if it is given that one's
  /// shuffle_seed().
  void resume_at(int64_t epoch, int64_t step = 0, std::optional<uint64_t> shuffle_seed = {});
  /// Seed of the order of the data in the present or last fit().
  uint64_t shuffle_seed() const;
  /// Drops the functions that are already compiled where the value changes.
  void set_run_eagerly(bool on);
  bool run_eagerly() const;
  /// The same. False: no fusion across ops.
  void set_jit_compile(bool on);
  bool jit_compile() const;
  /// The strategy in whose scope the model was made.
  const distribute::Strategy& distribute_strategy() const;
  /// How the outputs of replicas become one: "auto", "first", "sum" or "concat".
  const std::string& distribute_reduction_method() const;
  void set_distribute_reduction_method(const std::string& method);

  // ---- training, Keras's loop ----
  /// Trains. Arrays have their samples along axis 0; a data set brings its own targets and weights.
  /// Throws RuntimeError before compile(), ValueError for arguments that do not fit. The model
  /// stays usable after an error.
  /// (A template, so that options in braces are not taken for arrays.)
  template <class = void>
  History fit(const FitData& x, const Arrays& y = {}, const FitOptions& options = {});
  History fit(const FitData& x, const FitOptions& options);
  /// `fit(x, y, kw::epochs = 5, kw::batch_size = 64)`: see keywords.h. The same below.
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) History fit(const FitData& x, const Arrays& y, K... keywords) {
    return fit(x, y, from_keywords<FitOptions>(std::move(keywords)...));
  }
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) History fit(const FitData& x, K... keywords) {
    return fit(x, from_keywords<FitOptions>(std::move(keywords)...));
  }
  /// Loss and metrics over the data, in metrics_names() order; then, sorted, what else test_step()
  /// gave.
  template <class = void>
  HostLogs evaluate(const FitData& x, const Arrays& y = {}, const EvaluateOptions& options = {});
  HostLogs evaluate(const FitData& x, const EvaluateOptions& options);
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) HostLogs evaluate(const FitData& x, const Arrays& y, K... keywords) {
    return evaluate(x, y, from_keywords<EvaluateOptions>(std::move(keywords)...));
  }
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) HostLogs evaluate(const FitData& x, K... keywords) {
    return evaluate(x, from_keywords<EvaluateOptions>(std::move(keywords)...));
  }
  /// Outputs for all samples in order, batches concatenated. Needs no compile(). An output whose
  /// batches differ in more than their rows (sequences of other lengths, say) is the list of its
  /// rows, where Keras 2 has a ragged tensor.
  Nest predict(const FitData& x, const PredictOptions& options = {});
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) Nest predict(const FitData& x, K... keywords) {
    return predict(x, from_keywords<PredictOptions>(std::move(keywords)...));
  }
  /// One step on this batch, whatever steps_per_execution is.
  HostLogs train_on_batch(const Nest& x, const Nest& y = {},
                          const TrainOnBatchOptions& options = {});
  HostLogs test_on_batch(const Nest& x, const Nest& y = {}, const TestOnBatchOptions& options = {});
  Nest predict_on_batch(const Nest& x);
  /// Keras's old names; they warn.
  History fit_generator(const FitData& generator, const FitOptions& options = {});
  HostLogs evaluate_generator(const FitData& generator, const EvaluateOptions& options = {});
  Nest predict_generator(const FitData& generator, const PredictOptions& options = {});

  // ---- steps, traced and compiled; override one by one ----
  virtual Logs train_step(const Batch& batch);
  virtual Logs test_step(const Batch& batch);
  virtual Nest predict_step(const Batch& batch);
  /// The value to minimise: compiled losses plus losses(). Undefined when there are none.
  virtual Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                              const Nest& sample_weight = {});
  /// Updates the compiled metrics, then get_metrics_result().
  virtual Logs compute_metrics(const Nest& x, const Nest& y, const Nest& y_pred,
                               const Nest& sample_weight = {});
  Logs get_metrics_result() const;
  /// What a step gave on the replicas of the strategy, made one. The default is
  /// distribute::reduce_per_replica(); `reduction` is distribute_reduction_method(), for
  /// predictions "concat".
  virtual Nest reduce_per_replica(const std::vector<Nest>& values,
                                  const distribute::Strategy& strategy,
                                  const std::string& reduction);
  /// Function of one step over [x, y, sample_weight], compiled once and kept until compile().
  virtual Function make_train_function(bool force = false);
  virtual Function make_test_function(bool force = false);
  virtual Function make_predict_function(bool force = false);
  /// Steps done since the present or last fit(), evaluate() or predict() began.
  int64_t train_counter() const;
  int64_t test_counter() const;
  int64_t predict_counter() const;

  /// Trackers of the loss, compiled metrics, and metrics tracked by subclasses, in the order of the
  /// logs. Empty until the first step.
  virtual std::vector<MetricPtr> metrics() const;
  std::vector<std::string> metrics_names() const;
  void reset_metrics();
  History& history() const;

  // ---- structure ----
  /// Creates the weights of a subclassed model for inputs of these shapes, by tracing `call` on
  /// floating-point inputs; a functional model has them. Throws ValueError for no shape, and where
  /// `call` cannot be traced so: call the model on a batch of data then.
  /// (Layer's are hidden: a shape in braces would fit them, too.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
  void build(const InputShapes& shapes);
#pragma GCC diagnostic pop
  /// Layers in Keras's order.
  std::vector<LayerPtr> layers() const;
  /// Throws ValueError unless exactly one of the two is given and found.
  LayerPtr get_layer(const std::optional<std::string>& name = {},
                     std::optional<int64_t> index = {}) const;
  /// Placeholders of a functional model, in the structure that it was made with; none for a
  /// subclass.
  Nest inputs() const;
  Nest outputs() const;
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
  /// Table of layers, shapes and parameters in Keras 2's layout. Throws ValueError for a model that
  /// was not built.
  std::string summary_text(const SummaryOptions& options = {}) const;
  /// Prints it.
  void summary(const SummaryOptions& options = {}) const;

  // ---- files; load_model() in training/saving.h is the reverse of save() ----
  /// Writes architecture, weights, compile arguments and optimizer state as Keras's `.keras`
  /// archive, or as the older whole-model `.h5`, under a temporary name that is renamed at the end.
  /// Throws ValueError for another
  /// ending and for a model that was not built, NotFoundError for a missing folder.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  /// Weights (and optimizer state) in Keras's `.weights.h5`, weights alone in the older `.h5`, or
  /// in TensorFlow's `.ckpt`, which Keras 2
  /// loads; weights alone, by path, in `.npz` and `.safetensors`.
  void save_weights(const std::string& path, const SaveOptions& options = {}) const;
  /// Reads those, an index `.weights.json` of shards, the weights of a `.keras` file or SavedModel.
  /// Throws ValueError when counts, names or shapes do not match; nothing is changed then.
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
  /// (By reference, so that clang 14 does not take this for Layer's track, and hide that.)
  template <std::derived_from<Metric> M>
  M track(const std::string&, const M& metric) {
    add_metric(metric.share());
    return metric;
  }
  void add_metric(MetricPtr metric);
  /// Turns this into a functional model.
  void set_graph(const Nest& inputs, const Nest& outputs);
  const std::shared_ptr<ModelState>& model_state() const { return model_; }

 private:
  friend class training::Loop;
  void require_compiled(const char* what) const;
  FunctionOptions function_options(const char* name) const;

  std::shared_ptr<ModelState> model_;
};

}  // namespace antler
