#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/spmd.h"
#include "pjrt/lowering/lowering.h"

// A batch enters the graph whole; a strategy slices it, and each replica takes its slice. If
// nothing else uses the batch, a device needs only its slice: the graph's inputs become slices, and
// the program of the replicas takes them as operands that have no values for the other replicas.
namespace antler::pjrt {
namespace {

class InputDivider {
 public:
  explicit InputDivider(ir::Graph graph) : graph_(std::move(graph)), users_(graph_.values.size()) {}

  std::optional<ir::Graph> run() {
    if (!find_node()) return std::nullopt;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto& inputs = graph_.nodes[n].inputs;
      for (size_t i = 0; i < inputs.size(); ++i) users_of(inputs[i]).push_back({n, i});
    }
    for (const ir::ValueId result : graph_.results()) users_of(result).push_back({kResult, 0});
    for (const ir::ValueId input : graph_.inputs) {
      if (!add_input(input)) return std::nullopt;
    }
    if (local_.empty()) return std::nullopt;
    rewrite_node();
    for (const ir::ValueId input : graph_.inputs) {
      Shape& shape = graph_.values[static_cast<size_t>(input)].spec.shape;
      shape[0] /= replicas_;
    }
    return ir::prune(graph_);  // removes the slices
  }

 private:
  struct Use {
    size_t node;
    size_t operand;
  };
  static constexpr size_t kResult = static_cast<size_t>(-1);
  /// An input that each replica takes a slice of, and the position of the slice in its own inputs.
  struct LocalInput {
    ir::ValueId whole;
    size_t position;
  };

  std::vector<Use>& users_of(ir::ValueId v) { return users_[static_cast<size_t>(v)]; }

  /// Finds the node of the only program of replicas.
  bool find_node() {
    replicas_ = replicas_of(graph_);
    size_t count = 0;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].op != &ops::kSpmd) continue;
      node_ = n;
      ++count;
    }
    if (count != 1 || replicas_ == 1) return false;
    varying_ = static_cast<size_t>(graph_.nodes[node_].attrs.integer("varying_inputs"));
    return true;
  }

  bool add_input(ir::ValueId input) {
    const Shape& shape = graph_.spec(input).shape;
    if (shape.rank() == 0 || shape[0] == 0 || shape[0] % replicas_ != 0) return false;
    const std::vector<Use>& uses = users_of(input);
    if (uses.empty()) return true;
    if (static_cast<int64_t>(uses.size()) != replicas_) return false;
    std::optional<size_t> position;
    std::vector<bool> seen(uses.size());
    for (const Use& use : uses) {
      const std::optional<size_t> operand = operand_of_slice(use, shape);
      if (!operand || position.value_or(*operand % varying_) != *operand % varying_) return false;
      position = *operand % varying_;
      seen[*operand / varying_] = true;
    }
    if (std::find(seen.begin(), seen.end(), false) != seen.end()) return false;
    local_.push_back({input, *position});
    return true;
  }

  /// The operand of the node that this use of a whole input becomes: the slice of its replica.
  std::optional<size_t> operand_of_slice(const Use& use, const Shape& whole) {
    if (use.node == kResult) return std::nullopt;
    const ir::Node& slice = graph_.nodes[use.node];
    if (std::string_view(slice.op->name) != "slice") return std::nullopt;
    const std::vector<Use>& uses = users_of(slice.outputs[0]);
    if (uses.size() != 1 || uses[0].node != node_) return std::nullopt;
    const size_t operand = uses[0].operand;
    const auto replica = static_cast<int64_t>(varying_ == 0 ? 0 : operand / varying_);
    if (varying_ == 0 || replica >= replicas_) return std::nullopt;
    const int64_t share = whole[0] / replicas_;
    for (int axis = 0; axis < whole.rank(); ++axis) {
      const auto i = static_cast<size_t>(axis);
      const int64_t start = axis == 0 ? replica * share : 0;
      const int64_t limit = axis == 0 ? start + share : whole[axis];
      if (slice.attrs.ints("starts")[i] != start || slice.attrs.ints("limits")[i] != limit ||
          slice.attrs.ints("strides")[i] != 1)
        return std::nullopt;
    }
    return operand;
  }

  bool is_local(size_t position) const {
    return std::any_of(local_.begin(), local_.end(),
                       [&](const LocalInput& l) { return l.position == position; });
  }

  void rewrite_node() {
    ir::Node& node = graph_.nodes[node_];
    ir::Graph body = *node.regions[0];
    std::vector<ir::ValueId> operands;
    std::vector<ir::ValueId> inputs;
    for (const LocalInput& local : local_) {
      operands.push_back(local.whole);
      inputs.push_back(body.inputs[local.position]);
    }
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      if (i >= varying_ || !is_local(i)) inputs.push_back(body.inputs[i]);
    }
    const size_t end = varying_ * static_cast<size_t>(replicas_);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i >= end || !is_local(i % varying_)) operands.push_back(node.inputs[i]);
    }
    body.inputs = std::move(inputs);
    for (size_t i = 0; i < body.inputs.size(); ++i)
      body.values[static_cast<size_t>(body.inputs[i])].index = static_cast<int32_t>(i);
    node.inputs = std::move(operands);
    node.regions[0] = std::make_shared<const ir::Graph>(std::move(body));
    node.attrs.set("local_inputs", static_cast<int64_t>(local_.size()));
    node.attrs.set("varying_inputs", static_cast<int64_t>(varying_ - local_.size()));
  }

  ir::Graph graph_;
  std::vector<std::vector<Use>> users_;
  int64_t replicas_ = 1;
  size_t node_ = 0;
  size_t varying_ = 0;
  std::vector<LocalInput> local_;
};

}  // namespace

std::optional<ir::Graph> divide_inputs(const ir::Graph& graph) {
  std::optional<ir::Graph> divided = InputDivider(graph).run();
  if (divided) ir::verify(*divided);
  return divided;
}

}  // namespace antler::pjrt
