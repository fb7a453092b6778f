#pragma once

#include <memory>
#include <vector>

#include "antler/core/nest.h"
#include "antler/nn/layer.h"

/// The graph of a functional model. Calling a layer on a placeholder appends a GraphNode. A
/// placeholder refers to the node that made it, and a node to its inputs, so graphs are walked
/// backwards from the outputs. Nodes do not refer to their users, so there are no cycles.
namespace antler {

/// One call of a layer in a functional graph.
struct GraphNode {
  LayerPtr layer;
  Nest inputs;  ///< arguments as given: placeholders, perhaps with values; none for an input layer
  CallOptions options;    ///< as given
  Nest output_structure;  ///< the tree of outputs, leaves undefined
  std::vector<TensorSpec> outputs;
  Tensors masks;  ///< of the outputs: placeholders, or undefined; empty for an input layer

  bool is_input() const { return inputs.is_none(); }
  /// Placeholders among the inputs, then those among the options.
  Tensors input_placeholders() const;
};
using GraphNodePtr = std::shared_ptr<const GraphNode>;

/// Where a placeholder comes from.
struct PlaceholderSource {
  GraphNodePtr node;
  int index = 0;  ///< which output, in flattened order
};

/// Throws TypeError unless `tensor` is a placeholder.
const PlaceholderSource& placeholder_source(const Tensor& tensor);
/// The outputs of a node as placeholders.
Nest placeholders_of(const GraphNodePtr& node);
/// The output of a node that has a single one.
Tensor placeholder_of(const GraphNodePtr& node);

/// Calls `layer` on `inputs`, of which some are placeholders: builds it, finds the output specs and
/// appends a node.
Nest record_call(const LayerPtr& layer, const Nest& inputs, const CallOptions& options);
/// The dtypes and shapes of the outputs of `layer`, which must be built, as placeholders that
/// belong to no graph. To find unknown dimensions, the call is traced with two different sizes:
/// output dimensions that differ are unknown.
Nest abstract_call(Layer& layer, const Nest& inputs, const CallOptions& options);

/// The layers between input and output placeholders: the body of a functional model.
class FunctionalGraph {
 public:
  /// Throws ValueError if an output cannot be computed from the inputs ("Graph disconnected"), or
  /// if two layers have the same name.
  FunctionalGraph(Nest inputs, Nest outputs);

  /// Lets inputs have other sizes than the placeholders: the layers check them.
  void accept_other_sizes() { checks_sizes_ = false; }

  const Nest& inputs() const { return inputs_; }
  const Nest& outputs() const { return outputs_; }
  /// The calls in Keras's order (by depth), each after the calls that it depends on.
  const std::vector<GraphNodePtr>& nodes() const { return nodes_; }
  /// All layers in Keras's order: by depth, then by first traversal. Includes ops on placeholders
  /// (`x + 1`).
  const std::vector<LayerPtr>& operations() const { return operations_; }
  /// operations() without the ops: Keras's `model.layers`.
  std::vector<LayerPtr> layers() const;
  /// Nodes of one layer, in the order of its calls in this graph.
  std::vector<GraphNodePtr> nodes_of(const Layer& layer) const;

  /// Calls every layer on values or traced tensors. `inputs` has as many leaves as inputs(), or is
  /// a dictionary by the keys or names of the inputs, whose other keys are ignored. Leaves are
  /// converted to the dtypes of the inputs, and a missing or superfluous last dimension of size 1
  /// is added or removed. With placeholders, it appends the same calls to their graph.
  Nest run(const Nest& inputs, const CallOptions& options = {}) const;

 private:
  void sort_by_depth();
  void assign_slots();
  Tensors match_inputs(const Nest& inputs) const;

  Nest inputs_;
  Nest outputs_;
  bool checks_sizes_ = true;
  std::vector<GraphNodePtr> nodes_;
  std::vector<LayerPtr> operations_;

  /// A node, the slots of the leaves of its inputs and options (-1 for a constant or an undefined
  /// leaf), and its first output slot.
  struct Step {
    GraphNodePtr node;
    std::vector<int> input_slots;
    std::vector<int> option_slots;
    int output_slot = 0;
  };
  std::vector<Step> steps_;
  std::vector<int> input_slots_;
  std::vector<int> output_slots_;
  int num_slots_ = 0;
};

}  // namespace antler
