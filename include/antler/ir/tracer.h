#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/ir/graph.h"

namespace antler::ir {

/// Builds a Graph from the operations that this thread emits between construction and finish().
///
/// Tracers nest: the bodies of control flow are traced inside the function that contains them.
/// Values of an outer trace that a body uses become *captures*: extra inputs of the body, after its
/// arguments. Variables that a body reads are captures, too. Variables that it assigns are in
/// `finish().assigned`.
class Tracer final : public VariableScope {
 public:
  Tracer();
  ~Tracer() override;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// The innermost tracer of this thread; null outside of tracing.
  static Tracer* current();

  /// A new argument of the graph.
  Tensor input(const TensorSpec& spec);
  /// Appends a node. `inputs` are values (they become constants), values of this tracer or of outer
  /// ones.
  Tensors add_node(const OpDef& op, std::span<const Tensor> inputs, const Attrs& attrs,
                   const Regions& regions, std::vector<TensorSpec> outputs);

  Tensor read(const Variable& variable) override;
  void write(const Variable& variable, const Tensor& value) override;
  /// Whether the function has assigned the variable so far.
  bool has_assigned(const Variable& variable) const;
  /// Whether the tensor can be used here: a value, or traced by this tracer or an outer one.
  bool can_use(const Tensor& tensor) const;

  uint64_t id() const { return id_; }            ///< the TensorImpl::trace of its values
  const Graph& graph() const { return graph_; }  ///< what was traced so far
  Tensor value(ValueId id) const;                ///< of graph()
  /// Whether a value is the initial value of a variable, before the function assigned it.
  bool is_initial_value(ValueId id) const;

  /// How a value was computed.
  struct Producer {
    const OpDef* op;
    const Attrs* attrs;  ///< valid until the next node is added
    Tensors inputs;
  };
  /// The node of this tracer that computed `tensor`; nullopt for arguments, captures, constants of
  /// the caller and values of other tracers.
  std::optional<Producer> producer(const Tensor& tensor) const;

  /// A traced function.
  struct Result {
    Graph graph;
    /// Outer values, in the order of the extra graph inputs after the arguments.
    Tensors captures;
    /// Variables that the body of a nested tracer assigned. Their final values follow `outputs` in
    /// graph.outputs, in this order.
    std::vector<Variable> assigned;
  };
  /// Ends tracing. At top level, variables become graph.states.
  Result finish(std::span<const Tensor> outputs);

 private:
  ValueId resolve(const Tensor& tensor);
  bool is_outer(uint64_t trace) const;

  uint64_t id_;
  Tracer* parent_;
  VariableScope* previous_scope_;
  bool open_ = true;
  Graph graph_;
  Tensors captures_;
  std::vector<ValueId> capture_inputs_;
  std::unordered_map<uint64_t, ValueId> captured_;      // outer tensor id -> own value
  std::unordered_map<const void*, ValueId> constants_;  // impl -> constant node's value
  std::vector<Tensor> kept_;                            // keeps the keys of constants_ alive
  struct VariableState {
    Variable variable;
    Tensor initial;  // undefined if only written
    Tensor current;
  };
  std::vector<VariableState> variables_;
  std::unordered_map<uint64_t, size_t> variable_index_;
};

/// Suspends tracing on this thread during its lifetime, so that operations run at once. For
/// creating variables and constants inside a traced function.
class TraceSuspension {
 public:
  TraceSuspension();
  ~TraceSuspension();
  TraceSuspension(const TraceSuspension&) = delete;
  TraceSuspension& operator=(const TraceSuspension&) = delete;

 private:
  Tracer* tracer_;
  VariableScope* scope_;
};

/// The op of literals: no inputs, attr "value" (a Tensor).
extern const OpDef kConstant;

}  // namespace antler::ir
