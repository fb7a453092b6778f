#include "estimator/train_and_evaluate/checkpoint_evaluator.h"

#include "antler/base/error.h"
#include "antler/base/logging.h"

namespace antler::estimator {

bool CheckpointEvaluator::evaluate_and_export() {
  const std::optional<std::string> checkpoint = estimator_.latest_checkpoint();
  if (!checkpoint) {
    warn("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.");
    return false;
  }
  if (*checkpoint == previous_checkpoint_) {
    warn(
        "No new checkpoint ready for evaluation. Skip the current evaluation pass as evaluation "
        "results are expected to be same for the same checkpoint.");
    return false;
  }
  TrainAndEvaluateResult result;
  result.metrics = estimator_.evaluate(spec_.input_fn, {.steps = spec_.steps,
                                                        .hooks = spec_.hooks,
                                                        .checkpoint_path = checkpoint,
                                                        .name = spec_.name});
  last_step_ = static_cast<int64_t>(result.metrics->at("global_step").item());
  const bool is_final = max_steps_ && *last_step_ >= *max_steps_;
  for (const ExporterPtr& exporter : spec_.exporters) {
    result.exports.push_back(
        exporter->do_export({.estimator = estimator_,
                             .export_path = estimator_.model_dir() + "/export/" + exporter->name(),
                             .checkpoint_path = *checkpoint,
                             .eval_result = *result.metrics,
                             .is_the_final_export = is_final}));
  }
  result_ = std::move(result);
  previous_checkpoint_ = *checkpoint;
  warnings_.reset();
  return true;
}

void CheckpointEvaluator::warn(const std::string& message) {
  if (!warnings_.should_trigger_for_step(++warned_)) return;
  warnings_.update_last_triggered_step(warned_);
  logging::warning(message);
}

void EvaluationListener::begin() {
  timer_ = SecondOrStepTimer(static_cast<double>(throttle_secs_), {});
  is_first_save_ = true;
}

bool EvaluationListener::after_save(Session& /*session*/, int64_t global_step) {
  if (is_first_save_) {
    is_first_save_ = false;
    return false;
  }
  if (timer_.should_trigger_for_step(global_step)) {
    evaluate(global_step);
  } else {
    logging::info(
        format("Skip the current checkpoint eval due to throttle secs ({} secs).", throttle_secs_));
  }
  return false;
}

void EvaluationListener::end(Session& /*session*/, int64_t global_step) {
  if (timer_.last_triggered_step() != global_step) evaluate(global_step);
}

void EvaluationListener::evaluate(int64_t global_step) {
  timer_.update_last_triggered_step(global_step);
  if (!evaluator_.evaluate_and_export())
    throw RuntimeError("There was no new checkpoint after the training.");
}

}  // namespace antler::estimator
