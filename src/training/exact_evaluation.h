#pragma once

#include <vector>

#include "antler/training/model.h"
#include "distribute/remote_steps.h"

namespace antler::training {

/// Evaluation in other processes that counts each batch exactly once, even if processes are lost
/// (Keras 2's `pss_evaluation_shards`). A step returns what one batch adds to the variables of the
/// metrics; this process sums these values. A custom test_step() is not called.
class ExactEvaluation final : public distribute::RemoteSteps {
 public:
  ExactEvaluation(Model& model, distribute::RemoteProcesses& remote);

  /// The test step of this evaluation.
  const Function& function() const { return function_; }
  void prepare(const Function& function, const Nest& example) override;
  void schedule(const Function& function, std::vector<Nest> batches) override;
  /// Waits for all steps; then the metrics hold the sums.
  void join() override;

 private:
  Nest step(const Nest& batch);
  void add_results();

  Model& model_;
  distribute::RemoteProcesses& remote_;
  Function function_;
  bool is_prepared_ = false;
  Variables variables_;  ///< of the metrics
  Tensors sums_;
};

}  // namespace antler::training
