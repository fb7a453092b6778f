#include "estimator/model_trace.h"

#include <algorithm>
#include <utility>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/core/variable_origin.h"
#include "antler/estimator/scaffold.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/runtime/function.h"
#include "distribute/worker_gather.h"
#include "estimator/graph_state.h"
#include "estimator/input_stream.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

/// Equal for batches that can share a program.
std::string signature_of(const Nest& batch) {
  std::string key = batch.structure();
  for (const Tensor& leaf : batch.flatten()) {
    if (leaf.defined()) key += format(";{}{}", dtype_name(leaf.dtype()), leaf.shape());
  }
  return key;
}

Nest spec_of(const Nest& batch) {
  return batch.map([](const Tensor& leaf) {
    return leaf.defined() ? Tensor::spec_only(leaf.spec()) : Tensor();
  });
}

/// "NAME", or "NAME/KEY" for the entries of a dictionary and "NAME/I" for those of a list.
void name_leaves(const Graph& graph, const std::string& name, const Nest& nest) {
  if (nest.is_tensor()) {
    if (!nest.is_none()) graph.name_tensor(name, nest.tensor());
    return;
  }
  size_t i = 0;
  for (const auto& [key, value] : nest.items()) {
    name_leaves(graph, nest.is_dict() ? name + "/" + key : format("{}/{}", name, i), value);
    ++i;
  }
}

/// The running mean of an evaluation's loss (tf.metrics.mean), over batches regardless of their
/// size, and over replicas.
EvalMetricOp mean_loss(const Tensor& loss) {
  const NamedScope names(unique_scope_name("metrics/mean"));
  const Variable total =
      get_variable("total", Tensor::zeros(DType::float32, {}), false, Collection::local);
  const Variable count =
      get_variable("count", Tensor::zeros(DType::float32, {}), false, Collection::local);
  const JointUpdate joint;
  total.assign_add(ops::cast(ops::all_reduce(loss, ops::ReduceOp::mean), DType::float32));
  count.assign_add(Tensor::full(DType::float32, {}, 1));
  const auto value = [total, count] {
    const double n = count.stored().item();
    return Tensor::full(DType::float32, {}, n == 0 ? 0.0 : total.stored().item() / n);
  };
  return {value, total.value()};
}

/// Checks that the replicas of an accelerator system get equal parts.
void check_even(const Nest& batch, int64_t replicas, const std::vector<int64_t>& batch_axis) {
  const Tensors leaves = defined_leaves(batch);
  if (!batch_axis.empty() && batch_axis.size() != leaves.size()) {
    throw ValueError(
        "batch_axis must have an axis for each of the {} tensors of features and labels. Received "
        "{}.",
        leaves.size(), batch_axis.size());
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const int64_t axis = batch_axis.empty() ? 0 : batch_axis[i];
    if (leaves[i].rank() == 0) continue;
    if (axis < 0 || axis >= leaves[i].rank()) {
      throw ValueError("batch_axis: a tensor of shape {} has no axis {}.", leaves[i].shape(), axis);
    }
    if (leaves[i].dim(static_cast<int>(axis)) % replicas != 0) {
      throw ValueError(
          "A batch of features and labels must be divisible by the number of replicas, {}, along "
          "axis {}. Received a tensor of shape {}.",
          replicas, axis, leaves[i].shape());
    }
  }
}

}  // namespace

ModelTrace::ModelTrace(ModelTraceOptions options) : options_(std::move(options)) {
  initialize_runtime();
}

const BatchTrace& ModelTrace::trace(const Nest& batch, const Nest& promised) {
  const std::string key = signature_of(batch);
  const auto found = traces_.find(key);
  if (found != traces_.end()) return found->second;
  const BatchTrace& made = traces_.emplace(key, make_trace(spec_of(batch), promised)).first->second;
  if (first_ == nullptr) first_ = &made;
  return made;
}

BatchTrace ModelTrace::make_trace(const Nest& batch, const Nest& promised) {
  const bool retrace = first_ != nullptr;
  const ir::TraceSuspension outside;  // a hook may evaluate while another function is traced
  ir::Tracer tracer;
  const Nest symbols = batch.map(
      [&](const Tensor& leaf) { return leaf.defined() ? tracer.input(leaf.spec()) : Tensor(); });
  Tensors outputs;
  std::vector<std::string> names;
  if (options_.strategy && options_.strategy->num_replicas_in_sync() > 1) {
    const auto scope = options_.strategy->scope();
    call_on_replicas(symbols, promised, retrace);
  } else {
    const SharedScope shared(options_.strategy);
    const GraphScope scope(graph_, retrace);
    call_model_fn(symbols[0], symbols[1], promised, retrace);
  }
  GraphState& state = *graph_.state();
  for (const auto& [name, tensor] : state.tensors) {
    names.push_back(name);
    outputs.push_back(tensor);
  }
  BatchTrace result{.graph = tracer.finish(outputs).graph, .names = {}, .batch = batch};
  for (size_t i = 0; i < names.size(); ++i) result.names[names[i]] = result.graph.outputs[i];
  result.graph.outputs.clear();
  if (!retrace) {
    for (const ir::StateSlot& slot : result.graph.states) adopt_variable(state, slot.variable);
    make_replica_copies_local(state);
    make_names_unique(state);
  }
  return result;
}

void ModelTrace::call_model_fn(const Nest& features, const Nest& labels, const Nest& promised,
                               bool retrace) {
  graph_.name_tensor("global_step", graph_.global_step().value());
  GradientTape tape({.persistent = true});
  graph_.state()->tape = &tape;
  const ModelSpec returned = options_.model_fn(ModelFnArgs{.features = features,
                                                           .labels = labels,
                                                           .mode = options_.mode,
                                                           .params = options_.params,
                                                           .config = options_.config,
                                                           .features_spec = promised[0],
                                                           .labels_spec = promised[1],
                                                           .is_retrace = retrace});
  EstimatorSpec spec = checked(returned);
  name_results(spec);
  if (options_.mode == ModeKeys::eval) {
    if (spec.eval_metric_ops.contains("loss")) {
      throw ValueError(
          "Metric with name \"loss\" is not allowed, because Estimator already defines a default "
          "metric with the same name.");
    }
    for (const auto& [name, metric] : spec.eval_metric_ops) {
      if (metric.keras != nullptr) make_local(*graph_.state(), metric.keras->variables());
    }
    spec.eval_metric_ops["loss"] = mean_loss(spec.loss);
  }
  graph_.state()->tape = nullptr;
  if (!retrace) spec_ = std::move(spec);
}

void ModelTrace::name_results(const EstimatorSpec& spec) {
  if (spec.loss.defined()) {
    const Tensor loss = ops::reshape(spec.loss, Shape{});
    graph_.name_tensor(kLoss, loss);
    const auto& summaries = graph_.state()->summaries;
    const bool has_summary =
        std::any_of(summaries.begin(), summaries.end(),
                    [](const GraphSummary& summary) { return summary.tag == "loss"; });
    if (options_.mode == ModeKeys::train && !has_summary)
      graph_.state()->summaries.push_back(
          {GraphSummary::Kind::scalar, unique_tag(*graph_.state(), "loss"), kLoss});
  }
  if (spec.predictions && options_.mode == ModeKeys::predict)
    name_leaves(graph_, kPredictions, *spec.predictions);
  if (host_call_) name_leaves(graph_, kHostCall, host_call_->tensors);
}

/// The arguments of a function on the host: the rows of all replicas, in order of the replicas.
HostTensors ModelTrace::sent_to_host(const HostTensors& tensors) const {
  if (!options_.on_tpu || options_.broadcast) return tensors;
  return tensors.map([](const Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (tensor.rank() == 0) {
      throw RuntimeError(
          "All tensors outfed from TPU should preserve batch size dimension, but got scalar {}",
          tensor.str());
    }
    return ops::all_gather(tensor);
  });
}

EstimatorSpec ModelTrace::checked(ModelSpec spec) {
  if (const auto* plain = std::get_if<EstimatorSpec>(&spec)) {
    if (options_.is_tpu_estimator && !plain->training_chief_hooks.empty()) {
      throw ValueError(
          "training_chief_hooks are not supported by a TPUEstimator. Received a spec with {}.",
          plain->training_chief_hooks.size());
    }
    if (options_.on_tpu && options_.mode != ModeKeys::train) {
      throw RuntimeError(
          "estimator_spec used by TPU {} must have type `TPUEstimatorSpec`. Got an EstimatorSpec.",
          options_.mode == ModeKeys::eval ? "evaluation" : "prediction");
    }
    check_spec(*plain);
    return *plain;
  }
  if (const auto* tpu = std::get_if<TPUEstimatorSpec>(&spec)) {
    check_spec(*tpu);
    if (options_.on_tpu && options_.mode == ModeKeys::predict && !tpu->predictions->is_dict())
      throw TypeError("TPUEstimatorSpec.predictions must be dict of Tensors.");
    return converted(*tpu);
  }
  throw ValueError("model_fn should return an EstimatorSpec. Received nothing.");
}

EstimatorSpec ModelTrace::converted(const TPUEstimatorSpec& spec) {
  EstimatorSpec result{.mode = spec.mode,
                       .predictions = spec.predictions,
                       .loss = spec.loss,
                       .train_op = spec.train_op,
                       .export_outputs = spec.export_outputs,
                       .training_hooks = spec.training_hooks,
                       .evaluation_hooks = spec.evaluation_hooks,
                       .prediction_hooks = spec.prediction_hooks};
  if (spec.eval_metrics && options_.mode == ModeKeys::eval) {
    // All replicas have all rows, so they update the metrics together.
    const JointUpdate joint;
    result.eval_metric_ops = spec.eval_metrics->metric_fn(sent_to_host(spec.eval_metrics->tensors));
  }
  if (spec.scaffold_fn) result.scaffold = spec.scaffold_fn();
  if (spec.host_call && options_.mode != ModeKeys::predict) {
    host_call_ = spec.host_call;
    host_call_->tensors = sent_to_host(spec.host_call->tensors);
  }
  return result;
}

distribute::PerReplica ModelTrace::split(const Nest& batch) const {
  const int64_t replicas = options_.strategy->num_replicas_in_sync();
  if (options_.broadcast) return distribute::PerReplica(static_cast<size_t>(replicas), batch);
  if (options_.on_tpu) check_even(batch, replicas, options_.batch_axis);
  if (options_.batch_axis.empty()) return options_.strategy->split(batch);
  std::vector<Tensors> parts(static_cast<size_t>(replicas));
  size_t defined = 0;
  for (const Tensor& leaf : batch.flatten()) {
    if (!leaf.defined()) {
      for (Tensors& part : parts) part.emplace_back();
      continue;
    }
    const Tensors pieces = ops::split(leaf, replicas, options_.batch_axis[defined++]);
    for (size_t r = 0; r < parts.size(); ++r) parts[r].push_back(pieces[r]);
  }
  distribute::PerReplica result;
  for (const Tensors& part : parts) result.push_back(batch.pack(part));
  return result;
}

void ModelTrace::call_on_replicas(const Nest& batch, const Nest& promised, bool retrace) {
  const distribute::Strategy& strategy = *options_.strategy;
  bool again = retrace;
  const auto on_replica = [&](const Nest& part) -> Nest {
    const GraphScope scope(graph_, again);
    call_model_fn(part[0], part[1], promised, again);
    again = true;
    Nest::Items named;
    for (const auto& [name, tensor] : graph_.state()->tensors) named.emplace_back(name, tensor);
    return Nest::dict(std::move(named));
  };
  const distribute::PerReplica results = strategy.run(on_replica, split(batch));
  if (options_.mode == ModeKeys::train && options_.on_tpu && !graph_.state()->has_cross_shard_sum) {
    throw ValueError(
        "The gradients of the replicas are not summed: wrap the optimizer in a "
        "tpu::CrossShardOptimizer. model_fn runs on {} replicas.",
        strategy.num_replicas_in_sync());
  }
  // The names refer to the results of all replicas together.
  GraphState& state = *graph_.state();
  for (auto& [name, tensor] : state.tensors) {
    distribute::PerReplica values;
    for (const Nest& result : results) {
      if (result.is_dict()) values.push_back(result.at(name));
    }
    if (name == kLoss) {
      const bool is_mean = options_.on_tpu || state.has_cross_shard_sum || state.averages_gradients;
      tensor =
          strategy.reduce(is_mean ? distribute::ReduceOp::mean : distribute::ReduceOp::sum, values)
              .tensor();
    } else if ((name.starts_with(kPredictions) || name.starts_with(kCheck)) &&
               !options_.broadcast) {
      tensor = distribute::gather_here(values).tensor();
    } else {
      tensor = values.front().tensor();
    }
  }
}

}  // namespace antler::estimator
