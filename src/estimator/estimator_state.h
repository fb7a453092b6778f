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

/// The additional settings of a TPUEstimator.
struct TPUSettings {
  tpu::RunConfig config;
  TPUEstimatorOptions options;
};

/// The state of an Estimator, shared by its copies.
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
  /// For predictions on an accelerator system: gives the number of real rows of a batch.
  std::shared_ptr<const PaddedStream> padding = {};
};

/// The options with which model_fn is called in this mode.
ModelTraceOptions model_of(const EstimatorState& state, ModeKeys mode);
/// Calls input_fn and prepares the model. For a TPUEstimator, its configuration determines batch
/// sizes and replicas. Throws ValueError if input_fn takes no arguments but params are needed, if
/// there are labels but model_fn takes none, and for shapes that are not static on an accelerator
/// system. There, it throws TypeError if the input must be a data set and is not, and for
/// `batch_axis` in predictions.
Call make_call(const EstimatorState& state, ModeKeys mode, const InputFn& input_fn);

/// Throws what make_call() throws if the configuration of a TPUEstimator does not suit the mode.
void check_placement(const EstimatorState& state, ModeKeys mode);

/// Throws ValueError for steps <= 0.
void check_steps(const std::optional<int64_t>& steps, const char* name);
/// Throws TypeError for a null hook.
void check_hooks(const Hooks& hooks);
/// The given checkpoint, or else the newest one of the folder. Throws ValueError if the folder has
/// none.
std::string chosen_checkpoint(const EstimatorState& state, const std::optional<std::string>& given);
/// The step in a checkpoint; 0 if it has none.
int64_t checkpoint_step(const std::string& checkpoint);
/// Writes the metrics of an evaluation to the event file of `directory`.
void write_evaluation(const std::string& directory, const EvalResult& result,
                      const std::optional<std::string>& checkpoint);
/// Evaluates in an existing session; see InMemoryEvaluatorHook.
EvalResult evaluate_session(GraphSession& session, const EvaluateOptions& options,
                            const std::function<void(Session&)>& initialize,
                            const std::string& directory,
                            const std::optional<std::string>& checkpoint);

}  // namespace antler::estimator
