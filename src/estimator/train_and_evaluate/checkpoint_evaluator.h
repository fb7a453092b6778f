#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/timer.h"
#include "antler/estimator/train_and_evaluate.h"

namespace antler::estimator {

/// Evaluates new checkpoints of an estimator, and exports them.
class CheckpointEvaluator {
 public:
  CheckpointEvaluator(const Estimator& estimator, const EvalSpec& spec,
                      std::optional<int64_t> max_steps)
      : estimator_(estimator), spec_(spec), max_steps_(max_steps) {}

  /// Evaluates the newest checkpoint. Returns false without doing so if there is none or if it was
  /// the last one evaluated.
  bool evaluate_and_export();
  /// The result of the last evaluation.
  const TrainAndEvaluateResult& result() const { return result_; }
  /// The step of the last evaluation; nullopt before the first.
  std::optional<int64_t> last_step() const { return last_step_; }

 private:
  void warn(const std::string& message);
  const Estimator& estimator_;
  const EvalSpec& spec_;
  std::optional<int64_t> max_steps_;
  std::string previous_checkpoint_;
  TrainAndEvaluateResult result_;
  std::optional<int64_t> last_step_;
  SecondOrStepTimer warnings_ = SecondOrStepTimer(600.0, {});
  int64_t warned_ = 0;
};

/// Evaluates after checkpoints. Skips the first checkpoint of a training, which has no new values,
/// and evaluates at most as often as throttle_secs allows, except at the end.
class EvaluationListener final : public CheckpointSaverListener {
 public:
  /// `evaluator` must outlive the listener.
  EvaluationListener(CheckpointEvaluator& evaluator, int64_t throttle_secs)
      : evaluator_(evaluator), throttle_secs_(throttle_secs) {}
  void begin() override;
  bool after_save(Session& session, int64_t global_step) override;
  void end(Session& session, int64_t global_step) override;

 private:
  void evaluate(int64_t global_step);
  CheckpointEvaluator& evaluator_;
  int64_t throttle_secs_;
  SecondOrStepTimer timer_;
  bool is_first_save_ = true;
};

}  // namespace antler::estimator
