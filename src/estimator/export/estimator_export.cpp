#include "antler/base/error.h"
#include "estimator/estimator_state.h"
#include "estimator/export/saved_model_export.h"

namespace antler::estimator {
namespace {

/// The sets of tags under which a TPUEstimator exports its graph for prediction.
std::vector<std::vector<std::string>> serving_tags(const EstimatorState& state) {
  std::vector<std::vector<std::string>> tags;
  if (!state.tpu) return tags;
  const TPUEstimatorOptions& options = state.tpu->options;
  if (!options.export_to_cpu && !options.export_to_tpu) {
    throw ValueError("One of export_to_cpu and export_to_tpu must be true.");
  }
  if (options.export_to_cpu || !options.use_tpu) tags.push_back({"serve"});
  if (options.export_to_tpu && options.use_tpu) tags.push_back({"serve", "tpu"});
  return tags;
}

}  // namespace

std::string Estimator::export_saved_model(const std::string& export_dir_base,
                                          const ServingInputReceiverFn& serving_input_receiver_fn,
                                          const ExportOptions& options) const {
  return experimental_export_all_saved_models(export_dir_base,
                                              {{options.mode, serving_input_receiver_fn}}, options);
}

std::string Estimator::experimental_export_all_saved_models(
    const std::string& export_dir_base,
    const std::map<ModeKeys, ServingInputReceiverFn>& input_receiver_fn_map,
    const ExportOptions& options) const {
  const EstimatorState& state = *state_;
  ModelTraceOptions model = model_of(state, ModeKeys::predict);
  if (state.tpu) model.params.set("use_tpu", false);
  SavedModelRequest request{.model_fn = model.model_fn,
                            .params = model.params,
                            .config = model.config,
                            .model_dir = state.model_dir,
                            .export_dir_base = export_dir_base,
                            .modes = {},
                            .assets_extra = options.assets_extra,
                            .as_text = options.as_text,
                            .checkpoint_path = options.checkpoint_path};
  for (const auto& [mode, receiver] : input_receiver_fn_map) {
    ExportedMode exported{.mode = mode, .receiver = receiver};
    if (mode == ModeKeys::predict) exported.tags = serving_tags(state);
    request.modes.push_back(std::move(exported));
  }
  return write_saved_model(request);
}

}  // namespace antler::estimator
