#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/nest.h"
#include "antler/nn/calibration_config.h"
#include "antler/nn/layer.h"
#include "antler/nn/object_factory.h"
#include "antler/runtime/function.h"
#include "antler/training/callback.h"
#include "antler/training/compile_arguments.h"
#include "antler/training/fit_options.h"
#include "antler/training/history.h"
#include "antler/training/keywords.h"
#include "antler/training/logs.h"
#include "antler/training/prediction.h"
#include "antler/training/save_options.h"

namespace antler {

struct QuantizationConfig;
struct QuantizeOptions;

/// One batch, as it is passed to a step function. `y` and `sample_weight` may be undefined.
struct Batch {
  Nest x;
  Nest y;
  Nest sample_weight;

  Batch() = default;
  /// (Not an aggregate: GCC 12 destroys aggregates in braces twice after co_yield.)
  explicit Batch(Nest x) : x(std::move(x)) {}
  Batch(Nest x, Nest y, Nest sample_weight = {})
      : x(std::move(x)), y(std::move(y)), sample_weight(std::move(sample_weight)) {}
};

/// The parts of a batch: a list of one to three is (x), (x, y) or (x, y, sample_weight); anything
/// else is x. Throws ValueError for a longer list.
Batch unpack_x_y_sample_weight(const Nest& data);
/// The reverse: x alone (in a list if it is a list itself), (x, y) or (x, y, sample_weight).
Nest pack_x_y_sample_weight(const Nest& x, const Nest& y = {}, const Nest& sample_weight = {});

/// Argument type of Model::build: a shape, a list of shapes, or `InputShapes::dict()` by input
/// name. Dimension 0 is the batch; -1 is unknown.
class InputShapes {
 public:
  using Items = std::vector<std::pair<std::string, Shape>>;
  InputShapes(std::initializer_list<Shape::Dim> dims)
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
/// The references make both mandatory.
struct FunctionalOptions {
  const Nest& inputs;   ///< placeholders
  const Nest& outputs;  ///< tensors that depend on them
  std::optional<std::string> name = {};
  bool trainable = true;
};

/// The same as keywords: `Model(kw::inputs = x, kw::outputs = y)`.
struct FunctionalKeywords {
  Nest inputs = {};   ///< placeholders
  Nest outputs = {};  ///< tensors that depend on them
  std::optional<std::string> name = {};
  bool trainable = true;

  FunctionalOptions options() const { return {inputs, outputs, name, trainable}; }
};

/// Options of Model::get_layer().
struct GetLayerOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<std::string> name = {};  ///< of the layer
  std::optional<int64_t> index = {};     ///< in layers(), from 0
};

/// The arguments of Model::compute_loss() by name.
struct ComputeLossArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Nest x = {};              ///< inputs
  Nest y = {};              ///< targets
  Nest y_pred = {};         ///< outputs
  Nest sample_weight = {};  ///< none if undefined
  bool training = true;     ///< false in evaluate()
};

/// Options of summary().
struct SummaryOptions {
  int line_length = 65;         ///< characters
  bool expand_nested = false;   ///< show the layers of nested models
  bool show_trainable = false;  ///< add a column: trainable or not
  /// Receives each line instead of printing it.
  std::function<void(const std::string& line)> print_fn = {};
};

class Sequential;
struct ModelState;
namespace distribute {
class Strategy;
}
namespace training {
class Loop;
}

/// A network with its training loop (Keras's Model). A handle: copies share weights and training
/// state.
///
/// A functional model is made from placeholders: `Model(inputs, outputs)`. A subclass holds layers
/// with `track` and overrides `call` and, if needed, step functions, which are traced and compiled
/// like the built-in ones.
class Model : public Layer, public HasQuantizationBlocks {
 public:
  /// For subclasses.
  explicit Model(const LayerOptions& options = {});
  /// The same with only a name.
  template <std::convertible_to<std::string> S>
  explicit Model(const S& name) : Model(LayerOptions{.name = std::string(name)}) {}
  /// Functional: the graph of layers between these placeholders. Throws ValueError if `outputs`
  /// depend on anything other than `inputs`.
  Model(const Nest& inputs, const Nest& outputs, const LayerOptions& options = {});
  // A template, so that options in braces are not converted to a name.
  template <std::convertible_to<std::string> S>
  Model(const Nest& inputs, const Nest& outputs, const S& name)
      : Model(inputs, outputs, LayerOptions{.name = std::string(name)}) {}
  explicit Model(const FunctionalOptions& options);
  template <class... K>
  requires KeywordArguments<K...>
  explicit Model(K... keywords)
      : Model(from_keywords<FunctionalKeywords>(std::move(keywords)...).options()) {}
  /// For subclasses: `Model(kw::name = "encoder")`.
  template <class... K>
  requires KeywordsOf<LayerOptions, K...>
  explicit Model(K... keywords) : Model(from_keywords<LayerOptions>(std::move(keywords)...)) {}

  /// A copy is an alias.
  Model(const Model&) = default;
  /// A Sequential is a Model in all respects; this is an alias of it.
  Model(const Sequential& model);  // NOLINT(google-explicit-constructor)
  /// Another subclass cannot be copied to a Model, because it would lose its `call` and steps. Take
  /// it by reference, or share() it.
  template <std::derived_from<Model> M>
  requires(!std::same_as<M, Model>) Model(const M&)
  = delete;
  Model& operator=(const Model&) = default;

  using Layer::operator();
  Tensor call(const Tensor& input) override;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;

  // ---- configuration ----
  /// Sets optimizer, loss and metrics, and drops compiled functions; weights are kept. Training
  /// uses the layers' `trainable` flags as they are now; later changes need another compile().
  /// Throws ValueError for an unknown optimizer, for a metric object given twice and for
  /// `jit_compile` with `run_eagerly`; losses and metrics are resolved at the first step.
  virtual void compile(const CompileArguments& arguments = {});
  /// `compile("adam", "mse", {.metrics = {"mae"}})`. Throws TypeError if one is given twice.
  void compile(OptimizerSpec optimizer, LossSpec loss, CompileArguments arguments = {});
  /// `compile("adam", "mse", {"mae"})`: metrics are third in Keras 2. (A template, so that options
  /// in braces are options.)
  template <class Metrics = MetricSpec>
  void compile(OptimizerSpec optimizer, LossSpec loss,
               const std::type_identity_t<Metrics>& metrics) {
    compile(std::move(optimizer), std::move(loss), CompileArguments{.metrics = metrics});
  }
  /// `compile(kw::loss = "mse", kw::optimizer = "adam")`: see keywords.h.
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) void compile(K... keywords) {
    compile(from_keywords<CompileArguments>(std::move(keywords)...));
  }
  /// `compile("adam", "mse", kw::metrics = {"mae"})`.
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) void compile(OptimizerSpec optimizer, LossSpec loss, K... keywords) {
    compile(std::move(optimizer), std::move(loss),
            from_keywords<CompileArguments>(std::move(keywords)...));
  }
  /// `compile("adam")`, `compile("adam", kw::loss = "mse")`.
  template <std::convertible_to<OptimizerSpec> O, KeywordArgument... K>
  void compile(const O& optimizer, K... keywords) {
    auto arguments = from_keywords<CompileArguments>(std::move(keywords)...);
    LossSpec loss = std::exchange(arguments.loss, {});
    compile(OptimizerSpec(optimizer), std::move(loss), std::move(arguments));
  }
  bool compiled() const;
  /// The arguments of compile() in Keras's form; null before compile(). Throws ValueError for
  /// custom functions, which have no configuration.
  Json get_compile_config() const;
  /// Calls compile() with arguments that get_compile_config() or Keras wrote, then builds the
  /// optimizer if the model is built. Does nothing for null.
  virtual void compile_from_config(const Json& config);
  /// Throws RuntimeError if compile() was not given one.
  Optimizer& optimizer() const;
  bool has_optimizer() const;
  /// Takes effect at the next execution.
  void set_steps_per_execution(int64_t n);
  int64_t steps_per_execution() const;
  /// Whether a tuner changes the steps per execution during fit(); set by compile() with "auto".
  bool autotune_steps_per_execution() const;
  void set_autotune_steps_per_execution(bool on);
  /// For callbacks: ends training after the current batch.
  void set_stop_training(bool stop);
  bool stop_training() const;
  /// For a callback's on_train_begin: makes this fit() start at step `step` of epoch `epoch`, where
  /// an earlier one was interrupted. With that one's shuffle_seed(), data comes in the same order.
  void resume_at(int64_t epoch, int64_t step = 0, std::optional<uint64_t> shuffle_seed = {});
  /// The seed that determines the order of the data in the current or last fit().
  uint64_t shuffle_seed() const;
  /// Drops compiled functions if the value changes.
  void set_run_eagerly(bool on);
  bool run_eagerly() const;
  /// The same. False: ops are not fused.
  void set_jit_compile(bool on);
  bool jit_compile() const;
  /// The strategy in whose scope the model was created.
  const distribute::Strategy& distribute_strategy() const;
  /// How the outputs of replicas are reduced: "auto", "first", "sum" or "concat".
  const std::string& distribute_reduction_method() const;
  void set_distribute_reduction_method(const std::string& method);

  // ---- training loop ----
  /// Trains the model. Arrays have their samples along axis 0; a data set includes targets and
  /// weights. Throws RuntimeError before compile() and ValueError for invalid arguments. The model
  /// remains usable after an error.
  // A template, so that options in braces are not converted to arrays.
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
    const auto [target, options] =
        split_keywords<TargetKeyword, FitOptions>(std::move(keywords)...);
    return fit(x, target.y, options);
  }
  /// `fit(kw::x = x, kw::y = y, kw::epochs = 5)`.
  template <KeywordArgument... K>
  requires KeywordsWithInput<K...> History fit(K... keywords) {
    const auto [input, target, options] =
        split_keywords<InputKeyword, TargetKeyword, FitOptions>(std::move(keywords)...);
    return fit(input.x, target.y, options);
  }
  /// Loss and metrics over the data, in the order of metrics_names(), then other values of
  /// test_step(), sorted by name.
  template <class = void>
  HostLogs evaluate(const FitData& x, const Arrays& y = {},
                    const EvaluateOptions& options = {}) const;
  HostLogs evaluate(const FitData& x, const EvaluateOptions& options) const;
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) HostLogs evaluate(const FitData& x, const Arrays& y, K... keywords)
  const { return evaluate(x, y, from_keywords<EvaluateOptions>(std::move(keywords)...)); }
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) HostLogs evaluate(const FitData& x, K... keywords)
  const {
    const auto [target, options] =
        split_keywords<TargetKeyword, EvaluateOptions>(std::move(keywords)...);
    return evaluate(x, target.y, options);
  }
  template <KeywordArgument... K>
  requires KeywordsWithInput<K...> HostLogs evaluate(K... keywords)
  const {
    const auto [input, target, options] =
        split_keywords<InputKeyword, TargetKeyword, EvaluateOptions>(std::move(keywords)...);
    return evaluate(input.x, target.y, options);
  }
  /// The outputs for all samples in order; works without compile(). If the batches of an output
  /// differ in more than their number of rows (e.g. sequences of different lengths), the output is
  /// a list of rows, where Keras 2 has a ragged tensor.
  Prediction predict(const FitData& x, const PredictOptions& options = {}) const;
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) Prediction predict(const FitData& x, K... keywords)
  const { return predict(x, from_keywords<PredictOptions>(std::move(keywords)...)); }
  template <KeywordArgument... K>
  requires KeywordsWithInput<K...> Prediction predict(K... keywords)
  const {
    const auto [input, options] =
        split_keywords<InputKeyword, PredictOptions>(std::move(keywords)...);
    return predict(input.x, options);
  }
  /// One step on this batch, whatever steps_per_execution is.
  HostLogs train_on_batch(const Nest& x, const Nest& y = {},
                          const TrainOnBatchOptions& options = {});
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) HostLogs train_on_batch(const Nest& x, const Nest& y, K... keywords) {
    return train_on_batch(x, y, from_keywords<TrainOnBatchOptions>(std::move(keywords)...));
  }
  HostLogs test_on_batch(const Nest& x, const Nest& y = {}, const TestOnBatchOptions& options = {});
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) HostLogs test_on_batch(const Nest& x, const Nest& y, K... keywords) {
    return test_on_batch(x, y, from_keywords<TestOnBatchOptions>(std::move(keywords)...));
  }
  Prediction predict_on_batch(const Nest& x) const;
  /// Deprecated names; they warn.
  History fit_generator(const FitData& generator, const FitOptions& options = {});
  HostLogs evaluate_generator(const FitData& generator, const EvaluateOptions& options = {});
  Prediction predict_generator(const FitData& generator, const PredictOptions& options = {});

  // ---- steps: traced and compiled; each can be overridden ----
  virtual Logs train_step(const Batch& batch);
  virtual Logs test_step(const Batch& batch);
  virtual Nest predict_step(const Batch& batch);
  /// The value to minimise: compiled losses plus losses(). Undefined if there are none. If an
  /// override does not call this one and no metric is named "loss", the logs have the override's
  /// result under that name, as in Keras 3.
  virtual Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                              const Nest& sample_weight = {});
  /// The same with Keras 3's argument `training`, false in evaluate(). This is what train_step()
  /// and test_step() call; the default leaves `training` out.
  virtual Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                              const Nest& sample_weight, bool training);
  /// `compute_loss({.y = y, .y_pred = y_pred})`: calls the one above.
  Tensor compute_loss(const ComputeLossArguments& a) {
    return compute_loss(a.x, a.y, a.y_pred, a.sample_weight, a.training);
  }
  template <class... K>
  requires KeywordArguments<K...> Tensor compute_loss(K... keywords) {
    return compute_loss(from_keywords<ComputeLossArguments>(std::move(keywords)...));
  }
  /// Updates the compiled metrics and returns get_metrics_result().
  virtual Logs compute_metrics(const Nest& x, const Nest& y, const Nest& y_pred,
                               const Nest& sample_weight = {});
  Logs get_metrics_result() const;
  /// Reduces the results of a step on all replicas to one. The default is
  /// distribute::reduce_per_replica(); `reduction` is distribute_reduction_method(), or "concat"
  /// for predictions.
  virtual Nest reduce_per_replica(const std::vector<Nest>& values,
                                  const distribute::Strategy& strategy,
                                  const std::string& reduction);
  /// The compiled function of one step on [x, y, sample_weight], cached until compile().
  virtual Function make_train_function(bool force = false);
  virtual Function make_test_function(bool force = false);
  virtual Function make_predict_function(bool force = false);
  /// Steps done since the start of the current or last fit(), evaluate() or predict().
  int64_t train_counter() const;
  int64_t test_counter() const;
  int64_t predict_counter() const;

  /// Loss trackers, compiled metrics and metrics tracked by subclasses, in the order of the logs.
  /// Empty before the first step.
  virtual std::vector<MetricPtr> metrics() const;
  std::vector<std::string> metrics_names() const;
  void reset_metrics();
  History& history() const;

  // ---- structure ----
  /// Creates the weights of a subclassed model for inputs of these shapes by tracing `call` on
  /// floating-point inputs; a functional model already has its weights. Throws ValueError for no
  /// shape, and if `call` fails on such inputs; call the model on a batch of data instead.
  // Hides Layer's overloads, which would make a shape in braces ambiguous.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
  void build(const InputShapes& shapes);
#pragma GCC diagnostic pop
  /// Layers in Keras's order.
  std::vector<LayerPtr> layers() const;
  /// By name or index. Throws ValueError unless exactly one is given and found.
  LayerPtr get_layer(const std::optional<std::string>& name = {},
                     std::optional<int64_t> index = {}) const;
  /// `get_layer({.index = 0})`. (A template, so that `{}` selects the other.)
  template <class Options = GetLayerOptions>
  LayerPtr get_layer(const std::type_identity_t<Options>& options) const {
    return get_layer(options.name, options.index);
  }
  /// Placeholders of a functional model, as a list; empty for a subclass.
  Tensors inputs() const;
  Tensors outputs() const;
  /// The same in the structure that the model was made with; a list of one is its element.
  Nest input() const override;
  Nest output() const override;
  /// The shape of the only input or output, with an unknown batch size. Throw ValueError if there
  /// are several, and for a subclass.
  Shape input_shape() const;
  Shape output_shape() const;
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;
  /// A table of layers, shapes and parameters in Keras 2's layout. Throws ValueError for a model
  /// that is not built.
  std::string summary_text(const SummaryOptions& options = {}) const;
  /// Prints summary_text().
  void summary(const SummaryOptions& options = {}) const;
  template <class... K>
  requires KeywordArguments<K...>
  void summary(K... keywords) const {
    summary(from_keywords<SummaryOptions>(std::move(keywords)...));
  }

  // ---- files; load_model() of training/saving.h reads what save() wrote ----
  /// Writes architecture, weights, compile arguments and optimizer state as a `.keras` archive or
  /// an older whole-model `.h5` file, atomically. Throws ValueError for another extension and for a
  /// model that is not built, NotFoundError for a missing folder.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  template <class... K>
  requires KeywordArguments<K...>
  void save(const std::string& path, K... keywords) const {
    save(path, from_keywords<SaveOptions>(std::move(keywords)...));
  }
  /// Writes weights and optimizer state as `.weights.h5` or as a TensorFlow checkpoint (`.ckpt`,
  /// which Keras 2 loads); weights alone as older `.h5`, or by path as `.npz` or `.safetensors`.
  void save_weights(const std::string& path, const SaveOptions& options = {}) const;
  template <class... K>
  requires KeywordArguments<K...>
  void save_weights(const std::string& path, K... keywords) const {
    save_weights(path, from_keywords<SaveOptions>(std::move(keywords)...));
  }
  /// Reads any of these formats, an index `.weights.json` of shards, or the weights of a `.keras`
  /// file or SavedModel. Throws ValueError, with the model unchanged, if counts, names or shapes do
  /// not match.
  void load_weights(const std::string& path, const LoadWeightsOptions& options = {});
  template <class... K>
  requires KeywordArguments<K...>
  void load_weights(const std::string& path, K... keywords) {
    load_weights(path, from_keywords<LoadWeightsOptions>(std::move(keywords)...));
  }
  /// The architecture as Keras's JSON, for model_from_json().
  std::string to_json() const;
  /// Keras's configuration of a functional or sequential model.
  Json get_config() const override;
  /// The reverse: a model with new weights. Throws ValueError for a wrong configuration.
  static Model from_config(const Json& config, const CustomObjects& custom_objects = {});
  /// Calls antler::quantize() on the model. Unlike there, the next step is traced again, so that a
  /// model need not be compiled again to evaluate or predict.
  void quantize(const std::string& mode) override;
  void quantize(const std::string& mode, const QuantizeOptions& options);
  void quantize(const QuantizationConfig& config, const QuantizeOptions& options);
  template <KeywordArgument... K>
  requires(sizeof...(K) > 0) void quantize(const std::string& mode, K... keywords) {
    quantize(mode, from_keywords<QuantizeOptions>(std::move(keywords)...));
  }
  /// The exact memory that a training step on a batch like this one needs.
  ProgramMemory memory_plan(const Batch& example);

 protected:
  explicit Model(const std::string& class_name, const LayerOptions& options);
  std::unique_ptr<Layer> clone_handle() const override;
  using Layer::track;
  /// Registers a metric of a subclass: it becomes part of metrics() and is reset with the others.
  // By reference: clang 14 would otherwise consider Layer's `track` hidden by this one.
  template <std::derived_from<Metric> M>
  M track(const std::string&, const M& metric) {
    add_metric(metric.share());
    return metric;
  }
  template <std::derived_from<Metric> M>
  M track(const M& metric) {
    add_metric(metric.share());
    return metric;
  }
  void add_metric(MetricPtr metric);
  /// Makes this a functional model.
  void set_graph(const Nest& inputs, const Nest& outputs);
  const std::shared_ptr<ModelState>& model_state() const { return model_; }

 private:
  friend class training::Loop;
  void require_compiled(const char* what) const;
  FunctionOptions function_options(const char* name) const;

  std::shared_ptr<ModelState> model_;
};

/// The base of a custom model that is used as a layer of other models, or copied as a Model or a
/// Layer.
template <class Derived>
using ModelBase = LayerBase<Derived, Model>;

}  // namespace antler
