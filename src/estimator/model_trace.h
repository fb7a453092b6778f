#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/distribute/strategy.h"
#include "antler/estimator/graph.h"
#include "antler/estimator/model_fn.h"
#include "antler/ir/graph.h"

namespace antler::estimator {

/// The graph of a model_fn for one batch shape.
struct BatchTrace {
  /// Inputs: the defined leaves of [features, labels], then the placeholders of Graph. States: the
  /// variables. The code that compiles the graph chooses the outputs.
  ir::Graph graph;
  std::map<std::string, ir::ValueId> names;  ///< of named tensors
  Nest batch;                                ///< [features, labels], spec-only
};

/// Arguments of ModelTrace.
struct ModelTraceOptions {
  ModelFn model_fn;
  ModeKeys mode = ModeKeys::train;
  Params params = {};
  RunConfig config = RunConfig();
  /// Whether TPUEstimatorSpec is converted as in TPUEstimator.
  bool is_tpu_estimator = false;
  /// Whether it runs on an accelerator system (use_tpu), on one or several replicas.
  bool on_tpu = false;
  /// model_fn runs on the replicas of this strategy.
  std::optional<distribute::Strategy> strategy = {};
  /// Every replica gets the whole batch (InputPipelineConfig::broadcast).
  bool broadcast = false;
  /// The axis along which each leaf of the batch is split among the replicas; empty: axis 0.
  std::vector<int64_t> batch_axis = {};
};

/// Calls a model_fn under a tracer, once for each batch shape, in one Graph.
class ModelTrace {
 public:
  explicit ModelTrace(ModelTraceOptions options);

  /// The trace for batches of these specs, [features, labels]. `promised`: the spec that the data
  /// set promises. The first call makes the variables and the spec. Throws what model_fn throws,
  /// and ValueError for a spec that the mode does not allow.
  const BatchTrace& trace(const Nest& batch, const Nest& promised);
  const BatchTrace& first() const { return *first_; }
  /// The spec of the first trace; TPUEstimatorSpec is converted.
  const EstimatorSpec& spec() const { return spec_; }
  /// The host call of a TPUEstimatorSpec.
  const std::optional<HostCall>& host_call() const { return host_call_; }
  const Graph& graph() const { return graph_; }
  const std::optional<distribute::Strategy>& strategy() const { return options_.strategy; }
  ModeKeys mode() const { return options_.mode; }
  bool on_tpu() const { return options_.on_tpu; }

  /// The name of the loss, which every mode computes.
  static constexpr const char* kLoss = "total_loss";
  /// Predictions are named "predictions", or "predictions/KEY".
  static constexpr const char* kPredictions = "predictions";
  /// Tensors of a host call are named "host_call/I".
  static constexpr const char* kHostCall = "host_call";

 private:
  BatchTrace make_trace(const Nest& batch, const Nest& promised);
  /// Calls model_fn with these tensors and names the results.
  void call_model_fn(const Nest& features, const Nest& labels, const Nest& promised, bool retrace);
  distribute::PerReplica split(const Nest& batch) const;
  void call_on_replicas(const Nest& batch, const Nest& promised, bool retrace);
  EstimatorSpec checked(ModelSpec spec);
  EstimatorSpec converted(const TPUEstimatorSpec& spec);
  HostTensors sent_to_host(const HostTensors& tensors) const;
  void name_results(const EstimatorSpec& spec);

  ModelTraceOptions options_;
  Graph graph_;
  EstimatorSpec spec_;
  std::optional<HostCall> host_call_;
  std::map<std::string, BatchTrace> traces_;
  const BatchTrace* first_ = nullptr;
};

}  // namespace antler::estimator
