#include "antler/estimator/run_config.h"

#include <utility>

#include "antler/base/error.h"
#include "estimator/run_config_fields.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

template <class T>
void require_not_negative(const char* name, const std::optional<T>& value) {
  if (value && *value < 0) throw ValueError("{} should be >= 0. Received: {}.", name, *value);
}

template <class T>
void require_positive(const char* name, const std::optional<T>& value) {
  if (value && *value <= 0) throw ValueError("{} should be > 0. Received: {}.", name, *value);
}

/// Throws ValueError for a strategy that schedules functions on other processes.
void refuse_coordinator(const std::optional<distribute::Strategy>& strategy) {
  if (!strategy || strategy->implementation() == nullptr || shared_variables(strategy) != nullptr)
    return;
  if (strategy->implementation()->is_remote()) {
    throw ValueError(
        "Please use `cluster::ParameterServerStrategyV1` for parameter server strategy with "
        "estimator.");
  }
}

void check(const RunConfigOptions& options) {
  if (options.model_dir.value() && options.model_dir.value()->empty()) {
    throw ValueError("model_dir should be non-empty");
  }
  require_not_negative("save_summary_steps", options.save_summary_steps);
  require_not_negative("save_checkpoints_steps", options.save_checkpoints_steps.value());
  require_not_negative("save_checkpoints_secs", options.save_checkpoints_secs.value());
  require_not_negative("keep_checkpoint_max", options.keep_checkpoint_max);
  require_positive("keep_checkpoint_every_n_hours",
                   std::optional(options.keep_checkpoint_every_n_hours));
  require_positive("log_step_count_steps", options.log_step_count_steps);
  require_positive("session_creation_timeout_secs",
                   std::optional(options.session_creation_timeout_secs));
  refuse_coordinator(options.train_distribute);
  refuse_coordinator(options.eval_distribute);
}

}  // namespace

RunConfig::RunConfig(const RunConfigOptions& options) {
  set(options);
  read_tf_config();
}

void RunConfig::set(const RunConfigOptions& options) {
  constexpr double kDefaultSaveSecs = 600;
  const Settable<int64_t>& steps = options.save_checkpoints_steps;
  const Settable<double>& secs = options.save_checkpoints_secs;
  if (steps.value() && secs.value()) {
    throw ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.");
  }
  check(options);
  options_ = options;
  model_dir_ = options.model_dir.value();
  save_checkpoints_steps_ = steps.value();
  save_checkpoints_secs_ = steps.is_set() || secs.is_set() ? secs.value() : kDefaultSaveSecs;
}

RunConfigOptions RunConfig::unset_saving() const {
  RunConfigOptions options = options_;
  options.model_dir = settable(model_dir_);
  options.save_checkpoints_steps = {};
  options.save_checkpoints_secs = {};
  return options;
}

RunConfig RunConfig::replaced(const RunConfigOptions& options) const {
  RunConfigOptions all = options;
  if (!options.save_checkpoints_steps.is_set()) {
    all.save_checkpoints_steps = options.save_checkpoints_secs.value()
                                     ? Settable<int64_t>(None)
                                     : settable(save_checkpoints_steps_);
  }
  if (!options.save_checkpoints_secs.is_set()) {
    all.save_checkpoints_secs = options.save_checkpoints_steps.value()
                                    ? Settable<double>(None)
                                    : settable(save_checkpoints_secs_);
  }
  RunConfig copy = *this;
  copy.set(all);
  return copy;
}

RunConfig RunConfig::replace(const Params& values) const {
  return replace([&](RunConfigOptions& options) {
    for (const auto& [name, value] : values.items()) {
      if (!set_field(options, name, value)) refuse_field(name);
    }
  });
}

}  // namespace antler::estimator
