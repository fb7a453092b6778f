#include "antler/ir/emit.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/ir/tracer.h"
#include "base/scoped_value.h"

namespace antler::ir {
namespace {

thread_local std::vector<OpObserver*> t_observers;
thread_local ObserverSuspension* t_suspension = nullptr;
Executor* g_executor = nullptr;
std::atomic<PlaceholderHandler> g_placeholder_handler = nullptr;

class ReferenceExecutor final : public Executor {
 public:
  Tensors run(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
              const Regions& regions, std::span<const TensorSpec> outputs) override {
    if (&op == &kConstant) return {attrs.get<Tensor>("value")};
    if (op.reference == nullptr) {
      if (op.decompose == nullptr)
        throw InternalError("The op `{}` has no reference loop.", op.name);
      return op.decompose(inputs, attrs);
    }
    Tensors results;
    for (const TensorSpec& spec : outputs) results.push_back(Tensor::empty(spec.dtype, spec.shape));
    op.reference({inputs, results, attrs, regions});
    return results;
  }
};

/// Whether an op computes with its operands, rather than only moving or comparing elements.
bool needs_numbers(const OpDef& op) {
  const std::string_view name = op.name;
  if (op.op_class == OpClass::reduce || name == "dot_general") return true;
  return op.op_class == OpClass::elementwise && name != "eq" && name != "ne" && name != "select" &&
         name != "stop_gradient";
}

/// Throws TypeError for a string operand if the op needs numbers. Handles of strings have an
/// integer dtype.
void check_numbers(const OpDef& op, const Tensor& operand) {
  if (operand.dtype() != kStringDType || !holds_strings(operand) || !needs_numbers(op)) return;
  throw TypeError("Expected numbers. Received: {}, in the op `{}`.", operand.str(), op.name);
}

}  // namespace

Executor& reference_executor() {
  static ReferenceExecutor instance;
  return instance;
}

Executor& executor() { return g_executor != nullptr ? *g_executor : reference_executor(); }
void set_executor(Executor* executor) { g_executor = executor; }
void set_placeholder_handler(PlaceholderHandler handler) { g_placeholder_handler = handler; }

void add_op_observer(OpObserver* observer) { t_observers.push_back(observer); }

void remove_op_observer(OpObserver* observer) {
  std::erase(t_observers, observer);
  // An observer that is removed while hidden must not come back.
  for (ObserverSuspension* s = t_suspension; s != nullptr; s = s->previous_)
    std::erase(s->hidden_, observer);
}

ObserverSuspension::ObserverSuspension()
    : hidden_(std::exchange(t_observers, {})), previous_(std::exchange(t_suspension, this)) {}

ObserverSuspension::~ObserverSuspension() {
  t_observers = std::move(hidden_);
  t_suspension = previous_;
}

Tensors emit(const OpDef& op, const Tensors& inputs, const Attrs& attrs, const Regions& regions) {
  bool placeholder = false;
  std::vector<TensorSpec> specs;
  specs.reserve(inputs.size());
  for (const Tensor& t : inputs) {
    if (!t.defined()) throw ValueError("ops::{}: an argument is an undefined tensor.", op.name);
    check_numbers(op, t);
    placeholder = placeholder || t.is_placeholder();
    specs.push_back(t.spec());
  }
  if (placeholder) {
    const PlaceholderHandler handler = g_placeholder_handler;
    if (handler == nullptr) throw InternalError("No handler for placeholders is installed.");
    return handler(op, inputs, attrs, regions);
  }
  std::vector<TensorSpec> output_specs = op.infer({specs, attrs, regions});
  Tensors outputs;
  if (Tracer* tracer = Tracer::current()) {
    outputs = tracer->add_node(op, inputs, attrs, regions, std::move(output_specs));
  } else {
    // A composite runs as its parts. Tapes must not see these: they record the composite.
    const ScopedValue<std::vector<OpObserver*>> hidden(t_observers, {});
    outputs = executor().run(op, inputs, attrs, regions, output_specs);
  }
  const auto observers = t_observers;  // an observer may be removed in its own callback
  for (OpObserver* observer : observers) observer->on_op(op, inputs, outputs, attrs, regions);
  return outputs;
}

Tensor emit_one(const OpDef& op, const Tensors& inputs, const Attrs& attrs,
                const Regions& regions) {
  return emit(op, inputs, attrs, regions)[0];
}

Tensors interpret(const Graph& graph, std::span<const Tensor> arguments, Executor& executor) {
  if (arguments.size() != graph.inputs.size())
    throw InternalError("interpret: wrong number of arguments.");
  Tensors values(graph.values.size());
  const auto at = [&](ValueId v) -> Tensor& { return values[static_cast<size_t>(v)]; };
  for (size_t i = 0; i < arguments.size(); ++i) at(graph.inputs[i]) = arguments[i];
  for (const StateSlot& slot : graph.states) at(slot.input) = slot.variable.stored();
  for (const Node& node : graph.nodes) {
    Tensors inputs;
    std::vector<TensorSpec> specs;
    for (ValueId v : node.inputs) inputs.push_back(at(v));
    for (ValueId v : node.outputs) specs.push_back(graph.spec(v));
    Tensors outputs = executor.run(*node.op, inputs, node.attrs, node.regions, specs);
    for (size_t i = 0; i < outputs.size(); ++i) at(node.outputs[i]) = outputs[i];
  }
  Tensors results;
  for (ValueId v : graph.outputs) results.push_back(at(v));
  for (const StateSlot& slot : graph.states) {
    if (slot.output >= 0) slot.variable.store(at(slot.output));
  }
  return results;
}

}  // namespace antler::ir
