#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/estimator/session_run_hook.h"
#include "antler/runtime/program.h"
#include "distribute/shared_variables.h"
#include "estimator/input_stream.h"
#include "estimator/model_trace.h"

namespace antler::estimator {

/// The result of a run.
struct RunResult {
  int64_t steps = 0;  ///< run; fewer than requested at the end of the data
  Tensor loss = {};   ///< of the last step; undefined without a loss
  /// The values after the last step, in the order of the fetches.
  Tensors values = {};
};

/// Runs the programs of a ModelTrace on the batches of an input, in the order of the input.
class GraphSession final : public Session {
 public:
  /// Traces the model for the first batch or, if there is none, for what the data set promises.
  /// Throws ValueError if there is neither.
  GraphSession(ModelTrace& model, std::shared_ptr<InputStream> input);

  const Graph& graph() const override { return model_.graph(); }
  int64_t global_step() const override;
  std::vector<Tensor> run(const std::vector<Fetch>& fetches) override;

  /// Runs up to `n` steps. If other processes count steps too, runs at least one step, but none
  /// beyond the global step `until`. Fetched variables have the values from before the last step of
  /// the run.
  RunResult run_steps(int64_t n, const std::vector<Fetch>& fetches, const Feeds& feeds,
                      int64_t until = std::numeric_limits<int64_t>::max());
  /// Called after each step with its loss; true ends the run.
  void watch_loss(std::function<bool(const Tensor& loss)> watch) { watch_ = std::move(watch); }
  /// Called after each step with the values of the named tensors.
  void watch_step(std::vector<std::string> names, std::function<void(const Tensors&)> call);
  /// Compiles all programs again before their next run, because their servers have lost them.
  void forget_programs() { programs_.clear(); }
  /// Whether there is another batch.
  bool has_batch();
  InputStream& input() { return *input_; }
  ModelTrace& model() { return model_; }

 private:
  /// Where to find a fetched value: an output of the program (>= 0), or in `host`.
  struct Source {
    int64_t output = -1;
    Tensor host = {};
  };
  struct Compiled {
    bool updates = false;
    std::vector<ir::ValueId> outputs = {};  ///< in the first trace
    std::vector<TensorSpec> specs = {};     ///< of the leaves of a batch
    std::unique_ptr<Program> program = nullptr;
    /// In place of the program if variables are shared.
    std::unique_ptr<distribute::SharedProgram> shared = nullptr;
  };
  /// The end of a run.
  struct Limit {
    int64_t steps = 1;
    int64_t global_step = std::numeric_limits<int64_t>::max();
  };
  /// `of_step`: variables as they are before the step; otherwise, as they are now.
  Source resolve(const Fetch& fetch, bool of_step, std::vector<ir::ValueId>& outputs) const;
  const Compiled& compiled(const Nest& batch, const std::vector<ir::ValueId>& outputs,
                           bool updates);
  Tensors placeholders(const Feeds& feeds) const;
  RunResult run_program(const Limit& limit, const std::vector<Fetch>& fetches, const Feeds& feeds,
                        bool updates);
  /// Runs up to `n` steps of one program.
  int64_t run_compiled(const Compiled& entry, int64_t n, const Limit& limit, const Tensors& fed,
                       Tensors& values, const Program::StepOutputs& each);

  ModelTrace& model_;
  std::shared_ptr<InputStream> input_;
  Nest promised_;
  Variable global_step_;
  std::deque<Compiled> programs_;  ///< few: one per batch shape and set of fetches
  std::function<bool(const Tensor&)> watch_;
  std::vector<std::string> watched_names_;
  std::function<void(const Tensors&)> watched_call_;
};

}  // namespace antler::estimator
