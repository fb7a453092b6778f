#pragma once

#include <functional>
#include <memory>
#include <string>

#include "antler/estimator/hooks.h"
#include "estimator/estimator_state.h"
#include "estimator/graph_session.h"

namespace antler::estimator {

/// The scaffold of a training: that of the spec or a new one, with a saver according to the config.
std::shared_ptr<Scaffold> prepared_scaffold(const EstimatorState& state, const EstimatorSpec& spec);
/// Restores the newest checkpoint of the folder. If there is none, gives the variables their
/// current values and calls the scaffold's init_fn.
std::function<void(Session&)> session_initializer(const std::string& model_dir, const Graph& graph,
                                                  const std::shared_ptr<Scaffold>& scaffold);
/// The same with one checkpoint (none: initial values).
std::function<void(Session&)> checkpoint_initializer(const std::optional<std::string>& checkpoint,
                                                     const Graph& graph,
                                                     const std::shared_ptr<Scaffold>& scaffold);
/// Gives local variables, such as those of metrics, the values that they have now.
std::function<void()> local_initializer(const Graph& graph);
/// Calls the host function of a TPUEstimatorSpec at each step; null without one.
HookPtr host_call_hook(const EstimatorState& state, GraphSession& session);
/// Whether this task writes the curves of a training. Usually the chief does. A master also
/// evaluates, so worker 0 writes them if there is one, as in TensorFlow.
bool writes_summaries(const RunConfig& config);
/// Counts the steps of a TPUEstimator.
HookPtr examples_per_second_hook(const TPUSettings& tpu, const std::string& directory);
/// Throws RuntimeError with the name of the variable if a trainable variable has a value that is
/// not finite.
void check_finite(const Graph& graph);

}  // namespace antler::estimator
