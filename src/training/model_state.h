#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/functional_graph.h"
#include "antler/training/model.h"
#include "training/compiled_loss.h"
#include "training/compiled_metrics.h"

namespace antler {

/// What the handles of one model share besides the layer's state.
struct ModelState {
  /// The object whose step functions run. The traced functions go through it, because a handle may
  /// be copied.
  Model* self = nullptr;

  std::unique_ptr<FunctionalGraph> graph;  // null for subclassed models
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;

  bool compiled = false;
  CompileArguments arguments;
  OptimizerPtr optimizer;
  std::unique_ptr<training::CompiledLoss> loss;
  std::unique_ptr<training::CompiledMetrics> metrics;
  std::vector<MetricPtr> tracked_metrics;
  std::optional<bool> run_eagerly;
  int64_t steps_per_execution = 1;
  bool stop_training = false;
  History history;

  Function train_function;
  Function test_function;
  Function predict_function;

  void drop_functions() {
    train_function = {};
    test_function = {};
    predict_function = {};
  }
};

}  // namespace antler
