#include "antler/ir/tracer.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"

namespace antler::ir {
namespace {

thread_local Tracer* t_tracer = nullptr;

std::vector<TensorSpec> infer_constant(const InferArgs& args) {
  return {args.attrs.get<Tensor>("value").spec()};
}

}  // namespace

const OpDef kConstant = {
    .name = "constant", .op_class = OpClass::source, .infer = infer_constant, .no_gradient = true};

Tracer::Tracer()
    : id_(next_unique_id()), parent_(t_tracer), previous_scope_(set_variable_scope(this)) {
  t_tracer = this;
}

Tracer::~Tracer() {
  if (open_) {  // an exception ended the traced function
    t_tracer = parent_;
    set_variable_scope(previous_scope_);
  }
}

Tracer* Tracer::current() { return t_tracer; }

Tensor Tracer::value(ValueId id) const {
  auto impl = std::make_shared<TensorImpl>();
  impl->dtype = graph_.spec(id).dtype;
  impl->shape = graph_.spec(id).shape;
  impl->trace = id_;
  impl->value_id = id;
  impl->id = next_unique_id();
  return Tensor(std::move(impl));
}

Tensor Tracer::input(const TensorSpec& spec) {
  const ValueId id = graph_.add_input(spec);
  graph_.inputs.push_back(id);
  return value(id);
}

bool Tracer::is_outer(uint64_t trace) const {
  for (const Tracer* t = parent_; t != nullptr; t = t->parent_) {
    if (t->id_ == trace) return true;
  }
  return false;
}

ValueId Tracer::resolve(const Tensor& tensor) {
  if (!tensor.defined()) throw InternalError("An undefined tensor was used in an operation.");
  const TensorImpl& impl = *tensor.impl();
  if (impl.trace == id_) return impl.value_id;
  if (impl.trace == 0) {
    if (!tensor.is_value())
      throw RuntimeError("A placeholder of a functional model was used inside a traced function.");
    const auto [it, fresh] = constants_.try_emplace(tensor.impl().get(), -1);
    if (fresh) {
      kept_.push_back(tensor);
      it->second = graph_.add_node(kConstant, {}, {{"value", tensor}}, {}, {tensor.spec()})[0];
    }
    return it->second;
  }
  if (!is_outer(impl.trace)) {
    throw RuntimeError(
        "A tensor of shape {} was used outside of the traced function that made it. Return it from "
        "the function instead.",
        impl.shape);
  }
  const auto [it, fresh] = captured_.try_emplace(impl.id, -1);
  if (fresh) {
    it->second = graph_.add_input(tensor.spec());
    captures_.push_back(tensor);
    capture_inputs_.push_back(it->second);
  }
  return it->second;
}

Tensors Tracer::add_node(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                         const Regions& regions, std::vector<TensorSpec> outputs) {
  std::vector<ValueId> ids;
  ids.reserve(inputs.size());
  for (const Tensor& t : inputs) ids.push_back(resolve(t));
  Tensors result;
  for (ValueId v : graph_.add_node(op, std::move(ids), attrs, regions, std::move(outputs)))
    result.push_back(value(v));
  return result;
}

Tensor Tracer::read(const Variable& variable) {
  const auto [it, fresh] = variable_index_.try_emplace(variable.id(), variables_.size());
  if (fresh) variables_.push_back({variable, {}, {}});
  VariableState& state = variables_[it->second];
  if (!state.current.defined()) {
    if (parent_ != nullptr) {
      state.initial = value(resolve(parent_->read(variable)));
    } else {
      state.initial = value(graph_.add_input({variable.dtype(), variable.shape()}));
    }
    state.current = state.initial;
  }
  return state.current;
}

void Tracer::write(const Variable& variable, const Tensor& next) {
  read(variable);  // captures its initial value, even if the body only writes it
  VariableState& state = variables_[variable_index_.at(variable.id())];
  state.current = value(resolve(next));
}

bool Tracer::is_initial_value(ValueId id) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const VariableState& state) {
    return state.initial.defined() && state.initial.impl()->value_id == id;
  });
}

bool Tracer::has_assigned(const Variable& variable) const {
  const auto found = variable_index_.find(variable.id());
  if (found == variable_index_.end()) return false;
  const VariableState& state = variables_[found->second];
  return state.current.impl() != state.initial.impl();
}

std::optional<Tracer::Producer> Tracer::producer(const Tensor& tensor) const {
  const TensorImpl& impl = *tensor.impl();
  if (impl.trace != id_) return std::nullopt;
  const auto node = std::find_if(graph_.nodes.rbegin(), graph_.nodes.rend(), [&](const Node& n) {
    return std::find(n.outputs.begin(), n.outputs.end(), impl.value_id) != n.outputs.end();
  });
  if (node == graph_.nodes.rend()) return std::nullopt;
  Producer result{.op = node->op, .attrs = &node->attrs, .inputs = {}};
  for (const ValueId input : node->inputs) result.inputs.push_back(value(input));
  return result;
}

bool Tracer::can_use(const Tensor& tensor) const {
  const uint64_t trace = tensor.impl()->trace;
  return tensor.is_value() || (trace != 0 && (trace == id_ || is_outer(trace)));
}

Tracer::Result Tracer::finish(std::span<const Tensor> outputs) {
  std::vector<ValueId> results;
  for (const Tensor& t : outputs) results.push_back(resolve(t));
  Result result;
  if (parent_ == nullptr) {
    for (const VariableState& state : variables_) {
      const ValueId in = state.initial.impl()->value_id;
      const ValueId out = state.current.impl()->value_id;
      graph_.states.push_back({state.variable, in, out == in ? -1 : out});
    }
  } else {
    for (const VariableState& state : variables_) {
      if (state.current.impl()->value_id == state.initial.impl()->value_id) continue;
      result.assigned.push_back(state.variable);
      results.push_back(state.current.impl()->value_id);
    }
  }
  graph_.outputs = std::move(results);
  for (ValueId v : capture_inputs_) graph_.inputs.push_back(v);
  result.graph = std::move(graph_);
  result.captures = std::move(captures_);
  open_ = false;
  t_tracer = parent_;
  set_variable_scope(previous_scope_);
  return result;
}

TraceSuspension::TraceSuspension()
    : tracer_(std::exchange(t_tracer, nullptr)), scope_(set_variable_scope(nullptr)) {}

TraceSuspension::~TraceSuspension() {
  t_tracer = tracer_;
  set_variable_scope(scope_);
}

}  // namespace antler::ir
