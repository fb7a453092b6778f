#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/estimator/estimator.h"

namespace antler::estimator {

/// The argument of Exporter::do_export().
struct ExportContext {
  const Estimator& estimator;
  std::string export_path;      ///< MODEL_DIR/export/NAME
  std::string checkpoint_path;  ///< the evaluated checkpoint
  const EvalResult& eval_result;
  bool is_the_final_export = false;
};

/// Exports models during train_and_evaluate (tf.estimator.Exporter).
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual const std::string& name() const = 0;
  /// Returns the path of the export; nullopt if nothing was exported.
  virtual std::optional<std::string> do_export(const ExportContext& context) = 0;
};
using ExporterPtr = std::shared_ptr<Exporter>;

/// Options of Exporter.
struct ExporterOptions {
  /// Files to copy: name in the export -> path.
  std::map<std::string, std::string> assets_extra = {};
  bool as_text = false;                        ///< write the SavedModel as text
  std::optional<int64_t> exports_to_keep = 5;  ///< None: all; not used by FinalExporter
};

/// Base of the exporters below, which are passed by value as an ExporterPtr.
class ExporterHandle {
 public:
  operator ExporterPtr() const { return exporter_; }  // NOLINT(google-explicit-constructor)
  const std::string& name() const { return exporter_->name(); }

 protected:
  explicit ExporterHandle(ExporterPtr exporter) : exporter_(std::move(exporter)) {}

 private:
  ExporterPtr exporter_;
};

/// Exports at each evaluation, and deletes old exports (tf.estimator.LatestExporter). Throws
/// ValueError for exports_to_keep <= 0.
class LatestExporter : public ExporterHandle {
 public:
  LatestExporter(const std::string& name, const ServingInputReceiverFn& serving_input_receiver_fn,
                 const ExporterOptions& options = {});
};
/// Exports only at the end (tf.estimator.FinalExporter).
class FinalExporter : public ExporterHandle {
 public:
  FinalExporter(const std::string& name, const ServingInputReceiverFn& serving_input_receiver_fn,
                const ExporterOptions& options = {});
};

/// Whether the current result is better than the best one so far.
using CompareFn =
    std::function<bool(const EvalResult& best_eval_result, const EvalResult& current_eval_result)>;
/// Whether the current result has the smaller "loss". Throws ValueError for a result without one.
bool has_smaller_loss(const EvalResult& best_eval_result, const EvalResult& current_eval_result);

/// Options of BestExporter.
struct BestExporterOptions {
  std::string name = "best_exporter";
  ServingInputReceiverFn serving_input_receiver_fn = {};  ///< inputs of the exported model
  /// Event files below the model's folder, from which the best result of earlier runs is read;
  /// empty: none.
  std::string event_file_pattern = "eval/*.tfevents.*";
  CompareFn compare_fn = has_smaller_loss;  ///< true: the second result is better
  /// Files to copy: name in the export -> path.
  std::map<std::string, std::string> assets_extra = {};
  bool as_text = false;                        ///< write the SavedModel as text
  std::optional<int64_t> exports_to_keep = 5;  ///< None: all
};
/// Exports if the evaluation is the best so far (tf.estimator.BestExporter). Throws ValueError
/// without `compare_fn`, and for exports_to_keep <= 0.
class BestExporter : public ExporterHandle {
 public:
  explicit BestExporter(const BestExporterOptions& options);
  /// `name` and `serving_input_receiver_fn` take the place of those in `options`.
  BestExporter(const std::string& name, const ServingInputReceiverFn& serving_input_receiver_fn,
               BestExporterOptions options = {});
};

/// tf.estimator.TrainSpec. Checked by train_and_evaluate and check().
struct TrainSpec {
  InputFn input_fn = {};
  std::optional<int64_t> max_steps = {};
  Hooks hooks = {};
  std::vector<ListenerPtr> saving_listeners = {};
  /// Throws TypeError without input_fn, ValueError for max_steps <= 0.
  void check() const;
};

/// tf.estimator.EvalSpec.
struct EvalSpec {
  InputFn input_fn = {};
  std::optional<int64_t> steps = 100;
  std::optional<std::string> name = {};
  Hooks hooks = {};
  std::vector<ExporterPtr> exporters = {};
  int64_t start_delay_secs = 120;
  int64_t throttle_secs = 600;
  /// Throws TypeError without input_fn, and ValueError for steps <= 0, negative delays, and
  /// exporters without a name or with equal names.
  void check() const;
};

/// The part of a task of a cluster in train_and_evaluate().
struct TaskPlan {
  enum class Part : uint8_t {
    local,      ///< no cluster: trains, evaluates after checkpoints
    chief,      ///< trains and saves
    worker,     ///< trains
    master,     ///< a chief that also evaluates
    evaluator,  ///< evaluates each new checkpoint
    ps,         ///< holds variables
  };
  Part part = Part::local;
  bool starts_server = false;   ///< trains together with other tasks
  double start_delay_secs = 0;  ///< before training, so that workers start one by one
};
/// The plan for the task that the config describes. Throws ValueError for an unknown type of task,
/// and for an evaluator other than number 0.
TaskPlan plan_task(const RunConfig& config);

/// Metrics of the last evaluation and what its exporters returned; both empty if nothing ran.
struct TrainAndEvaluateResult {
  std::optional<EvalResult> metrics = {};
  std::vector<std::optional<std::string>> exports = {};
};

/// Trains, and evaluates and exports after checkpoints (tf.estimator.train_and_evaluate). In a
/// cluster (TF_CONFIG) it does the part of this task; see plan_task(). Throws what check() throws.
///
/// Tasks that train together, and parameter servers, need a strategy that connects them,
/// RunConfig::train_distribute, else NotImplementedError is thrown. Never returns in a task "ps".
TrainAndEvaluateResult train_and_evaluate(const Estimator& estimator, const TrainSpec& train_spec,
                                          const EvalSpec& eval_spec);

}  // namespace antler::estimator
