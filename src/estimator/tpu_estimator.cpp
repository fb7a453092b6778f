#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/estimator.h"
#include "antler/estimator/tpu_system.h"
#include "estimator/estimator_state.h"

namespace antler::estimator {
namespace {

const tpu::RunConfig& checked_config(const TPUEstimatorOptions& options) {
  if (!options.config) {
    throw ValueError("`config` must be provided with type `tpu_config.RunConfig`.");
  }
  for (const char* key : {"batch_size", "context"}) {
    if (options.params.contains(key)) {
      throw ValueError("batch_size and context are reserved keys but existed in params: '{}'.",
                       key);
    }
  }
  if (options.use_tpu) {
    tpu::check_batch_sizes(options.config->tpu_config(), {.train = options.train_batch_size,
                                                          .eval = options.eval_batch_size,
                                                          .predict = options.predict_batch_size});
  } else if (options.eval_on_tpu) {
    logging::warning("eval_on_tpu ignored because use_tpu is False.");
  }
  if (options.export_saved_model_api_version != 1 && options.export_saved_model_api_version != 2) {
    throw ValueError("export_saved_model_api_version should be 1 or 2; got {}.",
                     options.export_saved_model_api_version);
  }
  return *options.config;
}

}  // namespace

TPUEstimator::TPUEstimator(ModelFn model_fn, const TPUEstimatorOptions& options)
    : Estimator(std::move(model_fn), {.model_dir = options.model_dir,
                                      .config = checked_config(options),
                                      .params = options.params,
                                      .warm_start_from = options.warm_start_from}) {
  TPUSettings settings{.config = *options.config, .options = options};
  if (!settings.options.use_tpu) settings.options.eval_on_tpu = false;
  // It logs and counts steps by itself.
  state_->config = state_->config.replace([](auto& o) { o.log_step_count_steps.reset(); });
  settings.config = settings.config.replace([&](auto& o) { o.base.model_dir = state_->model_dir; });
  state_->tpu = std::move(settings);
}

}  // namespace antler::estimator
