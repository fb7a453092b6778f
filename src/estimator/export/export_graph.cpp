#include "estimator/export/export_graph.h"

#include <algorithm>
#include <set>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "estimator/graph_messages.h"
#include "estimator/graph_state.h"
#include "saving/export/lowering.h"

namespace antler::estimator {
namespace {

constexpr const char* kExamples = "input_example_tensor";
constexpr const char* kFeed = "feed/";

std::string output_name(size_t plan, size_t output) { return format("export/{}/{}", plan, output); }

std::string alternative_name(const std::string& alternative, const std::string& key) {
  return "export/alternative/" + alternative + "/" + key;
}

/// The equivalent EstimatorSpec of a TPUEstimatorSpec on the CPU.
EstimatorSpec plain(const ModelSpec& spec) {
  if (const auto* estimator_spec = std::get_if<EstimatorSpec>(&spec)) return *estimator_spec;
  const auto* tpu = std::get_if<TPUEstimatorSpec>(&spec);
  if (tpu == nullptr) throw ValueError("model_fn should return an EstimatorSpec.");
  EstimatorSpec result{.mode = tpu->mode,
                       .predictions = tpu->predictions,
                       .loss = tpu->loss,
                       .train_op = tpu->train_op,
                       .export_outputs = tpu->export_outputs};
  if (tpu->eval_metrics && tpu->mode == ModeKeys::eval) {
    result.eval_metric_ops = tpu->eval_metrics->metric_fn(tpu->eval_metrics->tensors);
  }
  return result;
}

ModelTraceOptions trace_options(const ExportGraphOptions& options, ModelFn model_fn) {
  return {.model_fn = std::move(model_fn),
          .mode = options.mode,
          .params = options.params,
          .config = options.config};
}

}  // namespace

ExportGraph::ExportGraph(const ExportGraphOptions& options)
    : options_(options),
      trace_(
          trace_options(options, ModelFn([this](const ModelFnArgs& args) { return call(args); }))) {
  const ServingInputReceiver& receiver = options_.receiver;
  if (receiver.parses) {
    const Shape rows = receiver.receiver_tensors.at(0).second.spec.shape;
    for (const auto& [key, feature] : *receiver.parses) {
      std::vector<int64_t> dims = feature.shape.dims();
      dims.insert(dims.begin(), rows[0]);
      traced_inputs_.emplace_back(key, ServingPlaceholder{{feature.dtype, Shape(dims)}});
    }
  } else {
    traced_inputs_ = receiver.receiver_tensors;
  }
  // The same order as that of a dictionary's leaves.
  std::sort(traced_inputs_.begin(), traced_inputs_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::set<std::string> keys;
  for (const auto& [key, input] : traced_inputs_) {
    if (!keys.insert(key).second) throw ValueError("Two receiver tensors are named '{}'.", key);
    const std::vector<int64_t> dims = input.spec.shape.dims();
    const bool unknown = std::any_of(dims.begin() + (dims.empty() ? 0 : 1), dims.end(),
                                     [](int64_t size) { return size == Shape::kUnknown; });
    if (unknown) {
      throw ValueError("Only the first size of the receiver tensor '{}' may be unknown: {}.", key,
                       input.spec.shape);
    }
  }
  if (traced_inputs_.empty()) throw ValueError("A receiver must receive at least one tensor.");
  const int64_t fixed = fixed_batch();
  trace_.trace(batch_of(fixed < 0 ? saving::BatchGraph::kFirst : fixed), batch_of(Shape::kUnknown));
}

/// Number of rows of the inputs; -1 if it is not known.
int64_t ExportGraph::fixed_batch() const {
  int64_t rows = 1;
  for (const auto& [key, input] : traced_inputs_) {
    if (input.spec.shape.rank() == 0) continue;
    if (input.spec.shape[0] == Shape::kUnknown) return -1;
    rows = input.spec.shape[0];
  }
  return rows;
}

Nest ExportGraph::batch_of(int64_t rows) const {
  Nest::Items items;
  for (const auto& [key, input] : traced_inputs_) {
    std::vector<int64_t> dims = input.spec.shape.dims();
    if (!dims.empty() && dims[0] == Shape::kUnknown) dims[0] = rows;
    const DType dtype = input.is_string ? kStringDType : input.spec.dtype;
    items.emplace_back(key, Tensor::spec_only({dtype, Shape(dims)}));
  }
  return Nest(std::vector<Nest>{Nest::dict(std::move(items)), Nest()});
}

ModelSpec ExportGraph::call(const ModelFnArgs& args) {
  const ServingInputReceiver& receiver = options_.receiver;
  Nest received = args.features;
  if (receiver.is_unnamed && !receiver.parses) received = received.items().front().second;
  const Nest computed = receiver.features ? receiver.features(received) : received;
  const Nest features = receiver.has_labels ? computed[0] : computed;
  const Nest labels = receiver.has_labels ? computed[1] : Nest();
  for (const auto& [alternative, tensors] : receiver.receiver_tensors_alternatives) {
    for (const auto& [key, feature] : tensors) {
      Graph::current().name_tensor(alternative_name(alternative, key),
                                   features.at(feature).tensor());
    }
  }
  // Computed tensors have the same number of rows as the received ones.
  const bool any_rows = fixed_batch() < 0;
  const auto promised = [any_rows](const Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    std::vector<int64_t> dims = tensor.shape().dims();
    if (any_rows && !dims.empty()) dims[0] = Shape::kUnknown;
    return Tensor::spec_only({tensor.dtype(), Shape(std::move(dims))});
  };
  const Nest features_spec = features.map(promised);
  const Nest labels_spec = labels.map(promised);
  EstimatorSpec spec = plain(options_.model_fn(ModelFnArgs{.features = features,
                                                           .labels = labels,
                                                           .mode = args.mode,
                                                           .params = args.params,
                                                           .config = args.config,
                                                           .features_spec = features_spec,
                                                           .labels_spec = labels_spec,
                                                           .is_retrace = args.is_retrace}));
  check_spec(spec);
  name_outputs(spec);
  return spec;
}

/// Names the tensors of the signatures, so that they can be found in the trace.
void ExportGraph::name_outputs(const EstimatorSpec& spec) {
  plans_ = plan_signatures(spec);
  output_names_.clear();
  for (size_t plan = 0; plan < plans_.size(); ++plan) {
    for (size_t i = 0; i < plans_[plan].outputs.size(); ++i) {
      const std::string name = output_name(plan, i);
      Graph::current().name_tensor(name, plans_[plan].outputs[i].second);
      output_names_.push_back(name);
    }
  }
  for (const auto& [alternative, tensors] : options_.receiver.receiver_tensors_alternatives) {
    for (const auto& [key, feature] : tensors) {
      output_names_.push_back(alternative_name(alternative, key));
    }
  }
}

ir::Graph ExportGraph::traced(int64_t rows) {
  const BatchTrace& trace = trace_.trace(batch_of(rows), batch_of(Shape::kUnknown));
  ir::Graph graph = trace.graph;
  for (const std::string& name : output_names_) graph.outputs.push_back(trace.names.at(name));
  for (ir::StateSlot& slot : graph.states) slot.output = -1;
  return ir::prune(graph);
}

std::vector<std::string> ExportGraph::input_names() const {
  std::vector<std::string> names;
  for (const auto& [key, input] : traced_inputs_) names.push_back(key);
  for (const Feedable& feedable : graph().state()->feedables) {
    names.push_back(kFeed + feedable.name);
  }
  return names;
}

io::WireWriter ExportGraph::meta_graph(const std::vector<std::string>& tags) {
  const int64_t fixed = fixed_batch();
  const auto trace = [this](int64_t rows) { return traced(rows); };
  const saving::BatchGraph batch_graph =
      fixed < 0 ? saving::BatchGraph(trace) : saving::BatchGraph(trace, fixed);

  std::vector<std::pair<saving::TfGraphVariable, Variable>> variables;
  const auto named = graph().variables(Collection::global);
  const auto nodes = graph_variables(graph());
  for (size_t i = 0; i < nodes.size(); ++i) variables.emplace_back(nodes[i], named[i].second);
  saving::MetaGraphSink sink(variables);
  for (const Feedable& feedable : graph().state()->feedables) {
    sink.set_default(kFeed + feedable.name, feedable.value);
  }
  const ServingInputReceiver& receiver = options_.receiver;
  Receivers receivers;
  if (receiver.parses) {
    std::vector<saving::ParsedFeature> features;
    for (const auto& [key, feature] : *receiver.parses) {
      features.push_back({key, feature.dtype, feature.shape});
    }
    const int64_t rows = receiver.receiver_tensors.at(0).second.spec.shape[0];
    receivers.emplace_back(
        receiver.receiver_tensors.at(0).first,
        sink.parse_examples(kExamples, rows == Shape::kUnknown ? -1 : rows, features));
  }
  lower(batch_graph, input_names(), output_names_, sink);
  if (!receiver.parses) {
    for (const auto& [key, placeholder] : receiver.receiver_tensors) {
      receivers.emplace_back(receiver.is_unnamed ? "input" : key, sink.inputs().at(key));
    }
  }
  std::vector<Places> places;
  for (size_t plan = 0; plan < plans_.size(); ++plan) {
    places.emplace_back();
    for (size_t i = 0; i < plans_[plan].outputs.size(); ++i) {
      places.back().push_back(sink.outputs().at(output_name(plan, i)));
    }
  }
  std::vector<std::pair<std::string, Receivers>> alternatives;
  for (const auto& [alternative, tensors] : receiver.receiver_tensors_alternatives) {
    alternatives.emplace_back(alternative, Receivers());
    for (const auto& [key, feature] : tensors) {
      alternatives.back().second.emplace_back(
          key, sink.outputs().at(alternative_name(alternative, key)));
    }
  }
  return sink.meta_graph(tags, write_signatures(plans_, places, receivers, alternatives).fields);
}

}  // namespace antler::estimator
