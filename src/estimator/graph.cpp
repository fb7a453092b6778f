#include "antler/estimator/graph.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/scoped_value.h"
#include "base/strings.h"
#include "estimator/graph_state.h"
#include "nn/seed_state.h"

namespace antler::estimator {
namespace {

thread_local std::shared_ptr<GraphState> t_graph;
thread_local Collection t_collection = Collection::global;
thread_local std::string t_scope;
/// Not null while get_variable() makes the variable, which can then be found by this name.
thread_local const std::string* t_name = nullptr;

constexpr const char* kGlobalStep = "global_step";

std::string scoped(const std::string& name) {
  return t_scope.empty() ? name : t_scope + "/" + name;
}

/// The tensor itself if it belongs to a trace or nothing is traced; otherwise the result of an op
/// with its value.
Tensor in_trace(const Tensor& tensor) {
  return tensor.is_traced() || ir::Tracer::current() == nullptr
             ? tensor
             : ir::Tracer::current()->add_node(ir::kConstant, {}, {{"value", tensor}}, {},
                                               {tensor.spec()})[0];
}

}  // namespace

GraphScope::GraphScope(const Graph& graph)
    : state_(graph.state()),
      outer_(std::exchange(t_graph, graph.state())),
      outer_scope_(std::exchange(t_scope, {})),
      outer_collection_(std::exchange(t_collection, Collection::global)),
      outer_creator_(set_variable_creator(this)) {}

GraphScope::GraphScope(const Graph& graph, bool is_retrace) : GraphScope(graph) {
  state_->is_retrace = is_retrace;
  state_->next_variable = 0;
  state_->next_summary = 0;
  state_->next_check = 0;
  state_->tensors.clear();
  state_->tensor_index.clear();
}

GraphScope::~GraphScope() {
  set_variable_creator(outer_creator_);
  t_collection = outer_collection_;
  t_scope = std::move(outer_scope_);
  t_graph = std::move(outer_);
}

Variable GraphScope::existing(const Tensor& initial, const VariableOptions& options) {
  if (!state_->is_retrace || t_name != nullptr) return {};
  const auto& variables = state_->variables;
  size_t& next = state_->next_variable;
  while (next < variables.size() && variables[next].by_name) ++next;
  if (next == variables.size() || variables[next].variable.shape() != initial.shape() ||
      variables[next].variable.dtype() != initial.dtype()) {
    throw RuntimeError(
        "model_fn made the variable `{}` of shape {} when it was traced for a batch of another "
        "shape, but not the first time. It must make the same variables for every batch.",
        options.name, initial.shape());
  }
  return variables[next++].variable;
}

void GraphScope::created(const Variable& variable) {
  // TensorFlow's checkpoints do not contain the seeds of random layers.
  const bool is_seed = variable.path().ends_with(kSeedState);
  state_->variables.push_back({variable, is_seed ? Collection::local : t_collection,
                               t_name != nullptr ? *t_name : std::string(), t_name != nullptr});
}

const std::string& name_of(const GraphVariable& entry) {
  return entry.name.empty() ? entry.variable.path() : entry.name;
}

void adopt_variable(GraphState& state, const Variable& variable) {
  const bool known =
      std::any_of(state.variables.begin(), state.variables.end(),
                  [&](const GraphVariable& entry) { return entry.variable == variable; });
  if (!known) state.variables.push_back({variable, Collection::global, {}, true});
}

void make_local(GraphState& state, const Variables& variables) {
  for (GraphVariable& entry : state.variables) {
    if (std::find(variables.begin(), variables.end(), entry.variable) != variables.end())
      entry.collection = Collection::local;
  }
}

void make_replica_copies_local(GraphState& state) {
  Variables copies;
  for (const GraphVariable& entry : state.variables) {
    const Variables own = replica_copies(entry.variable);
    copies.insert(copies.end(), own.begin(), own.end());
  }
  make_local(state, copies);
}

void make_names_unique(GraphState& state) {
  std::set<std::string> taken;
  for (GraphVariable& entry : state.variables) {
    const std::string name = name_of(entry);
    std::string unique = name;
    for (int i = 1; !taken.insert(unique).second; ++i) unique = format("{}_{}", name, i);
    if (unique != name) entry.name = unique;
  }
}

std::string unique_tag(const GraphState& state, const std::string& name) {
  std::string tag;
  for (const char c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '/' ||
                         c == '_' || c == '.';
    if (!tag.empty() || c != '/') tag += allowed ? c : '_';
  }
  // TensorFlow's names differ in more than upper and lower case.
  std::set<std::string> taken;
  for (const auto& [other, tensor] : state.tensors) taken.insert(to_lower(other));
  for (const GraphSummary& summary : state.summaries) taken.insert(to_lower(summary.tag));
  for (const GraphVariable& entry : state.variables) {
    const std::string path = to_lower(name_of(entry));
    for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
      taken.insert(path.substr(0, end));
  }
  std::string unique = tag;
  for (int i = 1; taken.contains(to_lower(unique)); ++i) unique = format("{}_{}", tag, i);
  return unique;
}

Graph::Graph() : state_(std::make_shared<GraphState>()) {}

Graph Graph::current() {
  if (t_graph == nullptr) {
    throw RuntimeError(
        "There is no graph: get_variable() and the like are for the functions that an Estimator "
        "calls, such as model_fn.");
  }
  return Graph(t_graph);
}

bool Graph::has_current() { return t_graph != nullptr; }

std::vector<std::pair<std::string, Variable>> Graph::variables(Collection collection) const {
  std::vector<std::pair<std::string, Variable>> result;
  for (const GraphVariable& entry : state_->variables) {
    if (entry.collection == collection) result.emplace_back(name_of(entry), entry.variable);
  }
  return result;
}

Variables Graph::trainable_variables() const {
  Variables result;
  for (const auto& [name, variable] : variables()) {
    if (variable.trainable()) result.push_back(variable);
  }
  return result;
}

Variable Graph::find(const std::string& name) const {
  for (const GraphVariable& entry : state_->variables) {
    if (name_of(entry) == name) return entry.variable;
  }
  return {};
}

Variable Graph::global_step() const {
  if (Variable found = find(kGlobalStep); found.defined()) return found;
  const std::string name = kGlobalStep;
  const ScopedValue<const std::string*> named(t_name, &name);
  Variable step(
      Tensor::zeros(DType::int64, {}),
      {.name = name, .trainable = false, .aggregation = VariableAggregation::only_first_replica});
  if (t_graph != state_) state_->variables.push_back({step, Collection::global, name, true});
  return step;
}

Tensors Graph::regularization_losses() const {
  Tensors losses;
  for (const GraphVariable& entry : state_->variables) {
    if (entry.variable.regularizer())
      losses.push_back(entry.variable.regularizer()(entry.variable.value()));
  }
  return losses;
}

void Graph::name_tensor(const std::string& name, const Tensor& tensor) const {
  if (!state_->tensor_index.emplace(name, state_->tensors.size()).second)
    throw ValueError("A tensor named '{}' exists already; names must be unique.", name);
  state_->tensors.emplace_back(name, in_trace(tensor));
}

std::vector<std::string> Graph::tensor_names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state_->tensors) names.push_back(name);
  return names;
}

std::string Graph::fetch_name(const Tensor& tensor) const {
  for (const auto& [name, named] : state_->tensors) {
    if (named.is_traced() && tensor.is_traced() && named.impl()->trace == tensor.impl()->trace &&
        named.impl()->value_id == tensor.impl()->value_id)
      return name;
  }
  std::string name = format("fetch_{}", state_->tensors.size());
  name_tensor(name, tensor);
  return name;
}

Variable get_variable(const std::string& name, const GetVariableOptions& options) {
  const std::string full = scoped(name);
  if (Variable found = Graph::current().find(full); found.defined()) {
    if (found.shape() != options.shape || found.dtype() != options.dtype) {
      throw ValueError(
          "get_variable: `{}` exists with shape {} and dtype {}. Received: shape={}, dtype={}",
          full, found.shape(), dtype_name(found.dtype()), options.shape, dtype_name(options.dtype));
    }
    return found;
  }
  if (!options.shape.is_known()) {
    throw ValueError("get_variable: the shape of `{}` must be known. Received: shape={}", full,
                     options.shape);
  }
  const ir::TraceSuspension suspension;
  Initializer initializer = options.initializer;
  if (!initializer.given()) initializer = is_floating(options.dtype) ? "glorot_uniform" : "zeros";
  const Tensor value = initializer(options.shape, options.dtype);
  const bool is_local = options.collection == Collection::local;
  const ScopedValue<Collection> collection(t_collection,
                                           is_local ? Collection::local : t_collection);
  const ScopedValue<const std::string*> named(t_name, &full);
  Variable variable(value, {.name = full,
                            .trainable = options.trainable && t_collection == Collection::global,
                            .synchronization = options.synchronization,
                            .aggregation = options.aggregation});
  if (options.regularizer.given()) variable.set_regularizer(options.regularizer);
  return variable;
}

NamedScope::NamedScope(const std::string& name) : previous_(std::exchange(t_scope, scoped(name))) {}
NamedScope::~NamedScope() { t_scope = std::move(previous_); }
std::string NamedScope::path() { return t_scope; }

std::string unique_scope_name(const std::string& name) { return unique_name(name); }

Tensor identity(const Tensor& tensor, const std::string& name) {
  Graph::current().name_tensor(name, tensor);
  return tensor;
}

Tensor placeholder_with_default(double value, const std::string& name, DType dtype) {
  GraphState& state = *Graph::current().state();
  ir::Tracer* tracer = ir::Tracer::current();
  if (tracer == nullptr)
    throw RuntimeError("placeholder_with_default: `{}` must be made in a model_fn.", name);
  const Tensor symbol = tracer->input({dtype, {}});
  const auto found = std::find_if(state.feedables.begin(), state.feedables.end(),
                                  [&](const Feedable& f) { return f.name == name; });
  if (found != state.feedables.end()) {
    found->symbol = symbol;
  } else {
    state.feedables.push_back({name, Tensor::full(dtype, {}, value), symbol});
  }
  return identity(symbol, name);
}

Tensors gradients(const Tensor& loss, const Variables& variables) {
  GradientTape* tape = Graph::current().state()->tape;
  if (tape == nullptr) throw RuntimeError("gradients() must be called in a model_fn.");
  return tape->gradient(loss, variables);
}

namespace summary {
namespace {

/// The names of the tensors of summaries begin with it.
constexpr const char* kSummary = "summary/";

void add(GraphSummary::Kind kind, const std::string& tag, const Tensor& value) {
  const Graph graph = Graph::current();
  GraphState& state = *graph.state();
  if (!state.is_retrace) {
    const std::string unique = unique_tag(state, scoped(tag));
    state.summaries.push_back({kind, unique, kSummary + unique});
  }
  const size_t index = state.next_summary++;
  if (index >= state.summaries.size() || !state.summaries[index].fetch.starts_with(kSummary)) {
    throw RuntimeError(
        "model_fn made the summary `{}` when it was traced for a batch of another shape, but not "
        "the first time. It must make the same summaries for every batch.",
        tag);
  }
  graph.name_tensor(state.summaries[index].fetch, value);
}

}  // namespace

void scalar(const std::string& tag, const Tensor& value) {
  if (value.size() != 1) {
    throw ValueError("summary::scalar: `{}` must have one element. Received: a tensor of shape {}",
                     tag, value.shape());
  }
  add(GraphSummary::Kind::scalar, tag, value);
}

void histogram(const std::string& tag, const Tensor& values) {
  add(GraphSummary::Kind::histogram, tag, values);
}

}  // namespace summary
}  // namespace antler::estimator
