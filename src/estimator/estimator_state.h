#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/estimator.h"
#include "estimator/graph_session.h"
#include "estimator/input_stream.h"
#include "estimator/model_trace.h"
#include "estimator/tpu_input.h"

namespace antler::estimator {

/// What a TPUEstimator has beside an Estimator.
struct TPUSettings {
  tpu::RunConfig config;
  TPUEstimatorOptions options;
};

/// What Estimator refers to.
struct EstimatorState {
  ModelFn model_fn;
  RunConfig config;
  std::string model_dir;
  Params params;
  WarmStart warm_start_from;
  std::optional<TPUSettings> tpu = {};
};

/// The model and the input of one call of train, evaluate, predict or export.
struct Call {
  ModelTraceOptions model = {};
  std::shared_ptr<InputStream> input;
  /// Of predictions on an accelerator system: how many rows of a batch are real.
  std::shared_ptr<const PaddedStream> padding = {};
};

/// What model_fn is called with for this mode.
ModelTraceOptions model_of(const EstimatorState& state, ModeKeys mode);
/// Calls input_fn and prepares the model. For a TPUEstimator batch sizes and replicas are as its
/// configuration says. Throws ValueError for an input_fn without arguments where params are needed,
/// labels where model_fn takes none, and shapes that are not static on an accelerator system;
/// TypeError there for input that is not a data set where it must be one, and for `batch_axis` in
/// predictions.
Call make_call(const EstimatorState& state, ModeKeys mode, const InputFn& input_fn);

/// Throws what make_call() throws for a configuration of a TPUEstimator that does not suit the
/// mode.
void check_placement(const EstimatorState& state, ModeKeys mode);

/// Throws ValueError for steps <= 0.
void check_steps(const std::optional<int64_t>& steps, const char* name);
/// Throws TypeError for a null hook.
void check_hooks(const Hooks& hooks);
/// The checkpoint that was given, or the newest of the folder. Throws ValueError if that has none.
std::string chosen_checkpoint(const EstimatorState& state, const std::optional<std::string>& given);
/// The step in a checkpoint; 0 if it has none.
int64_t checkpoint_step(const std::string& checkpoint);
/// Writes the metrics of an evaluation to the event file of `directory`.
void write_evaluation(const std::string& directory, const EvalResult& result,
                      const std::optional<std::string>& checkpoint);
/// Evaluates on a session that is there already; see InMemoryEvaluatorHook.
EvalResult evaluate_session(GraphSession& session, const EvaluateOptions& options,
                            const std::function<void(Session&)>& initialize,
                            const std::string& directory,
                            const std::optional<std::string>& checkpoint);

}  // namespace antler::estimator
