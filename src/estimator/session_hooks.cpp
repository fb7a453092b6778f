#include "estimator/session_hooks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/core/dispatch.h"

namespace antler::estimator {
namespace {

/// Calls a function with the values of the tensors of a HostCall at each step.
class HostCallHook final : public SessionRunHook {
 public:
  HostCallHook(GraphSession& session, const HostCall& call, int64_t every_n_steps)
      : call_(call), every_n_steps_(every_n_steps) {
    std::vector<std::string> names;
    if (call.tensors.is_dict()) {
      for (const auto& [key, value] : call.tensors.items())
        names.push_back(std::string(ModelTrace::kHostCall) + "/" + key);
    } else {
      for (size_t i = 0; i < call.tensors.size(); ++i)
        names.push_back(format("{}/{}", ModelTrace::kHostCall, i));
    }
    session.watch_step(names, [this](const Tensors& values) { on_step(values); });
  }
  int64_t steps_until_run(int64_t /*global_step*/) const override { return kNever; }

 private:
  void on_step(const Tensors& values) {
    if (step_++ % every_n_steps_ != 0) return;
    // Restore the structure of the tensors, whose keys keep their order.
    Nest::Items items;
    size_t i = 0;
    for (const auto& [key, value] : call_.tensors.items()) items.emplace_back(key, values[i++]);
    call_.host_fn(call_.tensors.is_dict() ? Nest::dict(std::move(items)) : Nest(values));
  }

  HostCall call_;
  int64_t every_n_steps_;
  int64_t step_ = 0;
};

bool is_finite(const Tensor& tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() {
    const std::span<const T> values(tensor.data<T>(), static_cast<size_t>(tensor.size()));
    return std::ranges::all_of(values, [](T x) { return std::isfinite(static_cast<double>(x)); });
  });
}

}  // namespace

std::shared_ptr<Scaffold> prepared_scaffold(const EstimatorState& state,
                                            const EstimatorSpec& spec) {
  auto scaffold = spec.scaffold != nullptr ? spec.scaffold : std::make_shared<Scaffold>();
  if (!scaffold->saver) {
    scaffold->saver.emplace(
        SaverOptions{.max_to_keep = state.config.keep_checkpoint_max(),
                     .keep_checkpoint_every_n_hours = state.config.keep_checkpoint_every_n_hours(),
                     .save_relative_paths = true});
  }
  return scaffold;
}

std::function<void(Session&)> checkpoint_initializer(const std::optional<std::string>& checkpoint,
                                                     const Graph& graph,
                                                     const std::shared_ptr<Scaffold>& scaffold) {
  if (checkpoint) {
    return [checkpoint, graph, scaffold](Session&) {
      if (!std::filesystem::exists(*checkpoint + ".index"))
        throw ValueError("Couldn't find a checkpoint at checkpoint_path: {}.", *checkpoint);
      const Saver saver = scaffold != nullptr && scaffold->saver ? *scaffold->saver : Saver();
      saver.restore(graph, *checkpoint);
    };
  }
  Tensors initial;
  for (const auto& [name, variable] : graph.variables()) initial.push_back(variable.stored());
  return [graph, scaffold, initial](Session& session) {
    const auto variables = graph.variables();
    // The begin() of a hook may have created more variables.
    for (size_t i = 0; i < initial.size(); ++i) variables[i].second.store(initial[i]);
    if (scaffold != nullptr && scaffold->init_fn) scaffold->init_fn(session);
  };
}

std::function<void()> local_initializer(const Graph& graph) {
  std::vector<std::pair<Variable, Tensor>> initial;
  for (const auto& [name, variable] : graph.variables(Collection::local))
    initial.emplace_back(variable, variable.stored());
  return [initial = std::move(initial)] {
    for (const auto& [variable, value] : initial) variable.store(value);
  };
}

std::function<void(Session&)> session_initializer(const std::string& model_dir, const Graph& graph,
                                                  const std::shared_ptr<Scaffold>& scaffold) {
  const auto fresh = checkpoint_initializer({}, graph, scaffold);
  return [model_dir, graph, scaffold, fresh](Session& session) {
    const std::optional<std::string> checkpoint = latest_checkpoint(model_dir);
    if (!checkpoint) return fresh(session);
    checkpoint_initializer(checkpoint, graph, scaffold)(session);
    scaffold->saver->recover_last_checkpoints(model_dir);
  };
}

HookPtr host_call_hook(const EstimatorState& state, GraphSession& session) {
  const std::optional<HostCall>& call = session.model().host_call();
  if (!call) return nullptr;
  // As in TensorFlow, the CPU calls at every step.
  const int64_t every =
      state.tpu && session.model().on_tpu()
          ? state.tpu->config.tpu_config().options().experimental_host_call_every_n_steps
          : 1;
  return std::make_shared<HostCallHook>(session, *call, every);
}

bool writes_summaries(const RunConfig& config) {
  const distribute::ClusterSpec& cluster = config.cluster_spec();
  if (cluster.has_job("master") && cluster.has_job("worker"))
    return config.task_type() == "worker" && config.task_id() == 0;
  return config.is_chief();
}

HookPtr examples_per_second_hook(const TPUSettings& tpu, const std::string& directory) {
  const std::optional<int64_t> log_steps = tpu.config.log_step_count_steps();
  if (!log_steps || !tpu.options.train_batch_size) return nullptr;
  StepCounterHookOptions options;
  if (writes_summaries(tpu.config) && tpu.config.save_summary_steps().value_or(0) > 0)
    options.output_dir = directory;
  const tpu::TPUConfig& config = tpu.config.tpu_config();
  if (const std::optional<int64_t> iterations = config.iterations()) {
    options.every_n_steps = (*log_steps + *iterations - 1) / *iterations;
  } else {
    options.every_n_steps.reset();
    options.every_n_secs = config.iterations_seconds();
  }
  return std::make_shared<ExamplesPerSecondHook>(*tpu.options.train_batch_size, options);
}

void check_finite(const Graph& graph) {
  for (const auto& [name, variable] : graph.variables()) {
    if (!variable.trainable() || !is_floating(variable.dtype())) continue;
    if (!is_finite(variable.stored()))
      throw RuntimeError("The variable {} has values that are NaN or infinite.", name);
  }
}

}  // namespace antler::estimator
