#pragma once

#include <span>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ir/graph.h"
#include "antler/ir/op_def.h"

namespace antler::ir {

/// Every operation goes through this function. If an input is a placeholder, the layer graph
/// records the op. Otherwise, if this thread is tracing, a node is appended to the trace. Otherwise
/// the executor runs the op at once. Active tapes observe it in each case. Throws what the op's
/// shape rule throws.
Tensors emit(const OpDef& op, const Tensors& inputs, const Attrs& attrs = {},
             const Regions& regions = {});

/// emit() of an op with one output.
Tensor emit_one(const OpDef& op, const Tensors& inputs, const Attrs& attrs = {},
                const Regions& regions = {});

/// Runs single operations on values, for eager code. ir has an executor that calls the reference
/// loops; the runtime installs a faster one.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Tensors run(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                      const Regions& regions, std::span<const TensorSpec> outputs) = 0;
};
Executor& executor();
/// Null restores the reference executor. Must not be called while other threads run operations.
void set_executor(Executor* executor);
/// The executor of plain loops; the oracle of the tests.
Executor& reference_executor();

/// Runs a whole graph with the executor, op by op. `arguments` stand for graph.inputs; states are
/// read from and written to their variables. Returns graph.outputs.
Tensors interpret(const Graph& graph, std::span<const Tensor> arguments, Executor& executor);

/// Is notified of every op that this thread emits. Gradient tapes are observers.
class OpObserver {
 public:
  virtual ~OpObserver() = default;
  virtual void on_op(const OpDef& op, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs, const Attrs& attrs,
                     const Regions& regions) = 0;
};
void add_op_observer(OpObserver* observer);
void remove_op_observer(OpObserver* observer);

/// During its lifetime, hides the ops that this thread emits from the current observers. The bodies
/// of control flow ops are traced this way, so that observers see only the op itself.
class ObserverSuspension {
 public:
  ObserverSuspension();
  ~ObserverSuspension();
  ObserverSuspension(const ObserverSuspension&) = delete;
  ObserverSuspension& operator=(const ObserverSuspension&) = delete;
  /// Whether there are observers to hide from.
  bool hides_any() const { return !hidden_.empty(); }

 private:
  friend void remove_op_observer(OpObserver* observer);
  std::vector<OpObserver*> hidden_;
  ObserverSuspension* previous_;
};

/// Records ops on placeholders; installed by the layer library. See Tensor::is_placeholder.
using PlaceholderHandler = Tensors (*)(const OpDef& op, std::span<const Tensor> inputs,
                                       const Attrs& attrs, const Regions& regions);
void set_placeholder_handler(PlaceholderHandler handler);

}  // namespace antler::ir
