#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "antler/distribute/strategy.h"
#include "antler/nn/functional_graph.h"
#include "antler/training/model.h"
#include "antler/training/steps_per_execution_tuner.h"
#include "training/compiled_call.h"
#include "training/compiled_loss.h"
#include "training/compiled_metrics.h"
#include "training/trainable_state.h"

namespace antler {

/// The point at which fit() resumes interrupted training.
struct ResumePoint {
  int64_t epoch = 0;
  int64_t step = 0;
  std::optional<uint64_t> shuffle_seed = {};
};

/// State shared by the handles of a model, in addition to the layer's state.
struct ModelState {
  /// The handle whose step functions run. Traced functions use this pointer, because handles may be
  /// copied. Atomic: several threads may predict with one model.
  std::atomic<Model*> self = nullptr;

  std::unique_ptr<FunctionalGraph> graph;                 // null for subclassed models
  std::unique_ptr<training::CompiledCall> compiled_call;  // of `graph`
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;

  bool compiled = false;
  CompileArguments arguments;
  OptimizerPtr optimizer;
  std::unique_ptr<training::CompiledLoss> loss;
  std::unique_ptr<training::CompiledMetrics> metrics;
  std::vector<MetricPtr> tracked_metrics;
  std::optional<bool> run_eagerly;
  bool jit_compile = true;
  StepsPerExecution steps_per_execution;
  bool autotune = false;
  std::unique_ptr<StepsPerExecutionTuner> tuner;
  training::TrainableState trainable;  // at the time of compile()
  distribute::Strategy strategy = distribute::get_strategy();
  std::string reduction_method = "auto";
  bool warned_about_weights = false;
  bool warned_about_nothing_to_train = false;

  bool stop_training = false;
  bool fits = false;  ///< whether fit() is running
  int64_t train_counter = 0;
  int64_t test_counter = 0;
  std::atomic<int64_t> predict_counter = 0;
  std::optional<ResumePoint> resume;
  uint64_t shuffle_seed = 0;
  History history;

  std::mutex function_mutex;  ///< held while one of the functions is created
  Function train_function;
  Function test_function;
  Function predict_function;

  StepsPerExecutionTuner* tuner_in_use() const { return autotune ? tuner.get() : nullptr; }

  void drop_functions() {
    train_function = {};
    test_function = {};
    predict_function = {};
  }
};

namespace training {

/// Enters the scope of the model's strategy, so that variables made in the first step belong to it.
/// Does nothing for the default strategy.
class OwnScope {
 public:
  explicit OwnScope(const ModelState& state) {
    if (!(state.strategy == distribute::Strategy())) scope_.emplace(state.strategy);
  }

 private:
  std::optional<distribute::StrategyScope> scope_;
};

}  // namespace training
}  // namespace antler
