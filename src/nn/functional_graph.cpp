#include "antler/nn/functional_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/mask.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "nn/keras_op.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

/// Identifies a placeholder. Different handles may refer to the same output.
using Key = std::pair<const GraphNode*, int>;

Key key_of(const Tensor& placeholder) {
  const PlaceholderSource& source = placeholder_source(placeholder);
  return {source.node.get(), source.index};
}

/// A depth-first walk from the outputs. Lists each node after its inputs, and the layers in the
/// order in which they were found.
class Walk {
 public:
  explicit Walk(const Tensors& inputs) {
    for (const Tensor& t : inputs) inputs_.insert(key_of(t));
  }

  void visit(const Tensor& tensor) {
    const GraphNodePtr& node = placeholder_source(tensor).node;
    if (node == nullptr || finished_.contains(node.get())) return;
    // A graph may start at any placeholder, not only at an Input. What made that placeholder is not
    // part of it.
    if (!node->is_input() && inputs_.contains(key_of(tensor))) return;
    layer_order.try_emplace(node->layer.get(), static_cast<int>(layer_order.size()));
    if (!node->is_input()) {
      for (const Tensor& t : node->input_placeholders()) visit(t);
    }
    if (finished_.insert(node.get()).second) nodes.push_back(node);
  }

  std::vector<GraphNodePtr> nodes;
  std::unordered_map<const Layer*, int> layer_order;

 private:
  std::set<Key> inputs_;
  std::unordered_set<const GraphNode*> finished_;
};

}  // namespace

Tensors GraphNode::input_placeholders() const {
  Tensors result;
  for (const Tensor& t : inputs.flatten()) {
    if (t.is_placeholder()) result.push_back(t);
  }
  for (const Tensor& t : options.leaves()) {
    if (t.is_placeholder()) result.push_back(t);
  }
  return result;
}

FunctionalGraph::FunctionalGraph(Nest inputs, Nest outputs)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  for (const Nest* nest : {&inputs_, &outputs_}) {
    const char* argument = nest == &inputs_ ? "inputs" : "outputs";
    if (!nest->is_tensor() && nest->flatten().empty())
      throw ValueError("`{}` of a functional model cannot be empty.", argument);
    for (const Tensor& t : nest->flatten()) {
      if (!t.is_placeholder()) {
        throw ValueError(
            "All `{}` values of a functional model must come from Input() and layers called on it. "
            "Received: {}.",
            argument, t.defined() ? t.str() : std::string("None"));
      }
    }
  }
  sort_by_depth();
  assign_slots();
}

void FunctionalGraph::sort_by_depth() {
  const Tensors inputs = inputs_.flatten();
  Walk walk(inputs);
  for (const Tensor& t : outputs_.flatten()) walk.visit(t);

  // The depth is the length of the longest path to an output. A layer that is called several times
  // has the largest depth of its calls.
  std::unordered_map<const GraphNode*, int> node_depth;
  std::unordered_map<const Layer*, int> layer_depth;
  std::unordered_set<const GraphNode*> inside;
  for (const GraphNodePtr& node : walk.nodes) inside.insert(node.get());
  std::vector<std::pair<GraphNodePtr, int>> depths;  // in the order in which the depths were found
  std::unordered_map<const GraphNode*, size_t> position;
  const auto touch = [&](const GraphNodePtr& node) {
    if (position.try_emplace(node.get(), depths.size()).second) depths.emplace_back(node, 0);
    return position.at(node.get());
  };
  for (size_t i = walk.nodes.size(); i-- > 0;) {
    const GraphNodePtr& node = walk.nodes[i];
    int& of_layer = layer_depth.try_emplace(node->layer.get(), 0).first->second;
    const size_t at = touch(node);
    const int depth = std::max(depths[at].second, of_layer);
    of_layer = depth;
    depths[at].second = depth;
    for (const Tensor& t : node->input_placeholders()) {
      const GraphNodePtr& parent = placeholder_source(t).node;
      if (parent == nullptr || !inside.contains(parent.get())) continue;
      const size_t p = touch(parent);
      depths[p].second = std::max(depth + 1, depths[p].second);
    }
  }
  for (const Tensor& t : inputs) {  // inputs that no output depends on
    const GraphNodePtr& node = placeholder_source(t).node;
    if (node == nullptr || !node->is_input() || layer_depth.contains(node->layer.get())) continue;
    layer_depth[node->layer.get()] = 0;
    walk.layer_order[node->layer.get()] = -1;
    touch(node);
  }

  std::stable_sort(depths.begin(), depths.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::unordered_set<const Layer*> seen;
  for (auto& [node, depth] : depths) {
    nodes_.push_back(node);
    if (seen.insert(node->layer.get()).second) operations_.push_back(node->layer);
  }
  std::stable_sort(
      operations_.begin(), operations_.end(), [&](const LayerPtr& a, const LayerPtr& b) {
        const int da = layer_depth.at(a.get());
        const int db = layer_depth.at(b.get());
        return da != db ? da > db : walk.layer_order.at(a.get()) < walk.layer_order.at(b.get());
      });

  std::map<std::string, int> names;
  for (const LayerPtr& layer : operations_) ++names[layer->name()];
  for (const auto& [name, count] : names) {
    if (count > 1) {
      throw ValueError(
          "The name \"{}\" is used {} times in the model. All operation names should be unique.",
          name, count);
    }
  }
}

void FunctionalGraph::assign_slots() {
  std::map<Key, int> slots;
  for (const Tensor& t : inputs_.flatten()) {
    const auto [it, fresh] = slots.try_emplace(key_of(t), num_slots_);
    if (fresh) ++num_slots_;
    input_slots_.push_back(it->second);
  }
  std::string done;
  const auto slot_of = [&](const Tensor& t, const std::string& where) {
    const auto it = slots.find(key_of(t));
    if (it != slots.end()) return it->second;
    throw ValueError(
        "Graph disconnected: cannot find parent for tensor {} at operation '{}'. The following "
        "previous operations were accessed without issue: [{}]",
        t, where, done);
  };
  for (const GraphNodePtr& node : nodes_) {
    // The slot of an Input that is not among the inputs stays empty. Nodes that need it were
    // reported above.
    if (node->is_input()) continue;
    Step step;
    step.node = node;
    const auto slots_of = [&](const Tensors& tensors) {
      std::vector<int> found;
      for (const Tensor& t : tensors) {
        found.push_back(t.is_placeholder() ? slot_of(t, node->layer->name()) : -1);
      }
      return found;
    };
    step.input_slots = slots_of(node->inputs.flatten());
    step.option_slots = slots_of(node->options.leaves());
    step.output_slot = num_slots_;
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      // An output that is itself an input of the graph keeps the input's slot.
      slots.try_emplace(Key{node.get(), static_cast<int>(i)}, num_slots_ + static_cast<int>(i));
    }
    num_slots_ += static_cast<int>(node->outputs.size());
    done += (done.empty() ? "'" : ", '") + node->layer->name() + "'";
    steps_.push_back(std::move(step));
  }
  for (const Tensor& t : outputs_.flatten()) output_slots_.push_back(slot_of(t, "output"));
}

std::vector<LayerPtr> FunctionalGraph::layers() const {
  std::vector<LayerPtr> result = operations_;
  std::erase_if(result, [](const LayerPtr& layer) { return is_operation(*layer); });
  return result;
}

std::vector<GraphNodePtr> FunctionalGraph::nodes_of(const Layer& layer) const {
  std::vector<GraphNodePtr> result;
  for (const auto& weak : LayerInternals::state(layer).nodes) {
    const GraphNodePtr node = weak.lock();
    if (node != nullptr && std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end())
      result.push_back(node);
  }
  return result;
}

Tensors FunctionalGraph::match_inputs(const Nest& inputs) const {
  const Tensors wanted = inputs_.flatten();
  Tensors given;
  const auto input = [&](const std::string& name) -> const Nest& {
    if (inputs.contains(name)) return inputs.at(name);
    throw ValueError("Missing data for input \"{}\". The data is a dictionary of the structure {}.",
                     name, inputs.structure());
  };
  if (inputs.is_dict() && !inputs_.is_dict()) {  // by the names of the input layers
    for (const Tensor& t : wanted)
      given.push_back(input(placeholder_source(t).node->layer->name()).tensor());
  } else if (inputs.is_dict()) {  // extra keys are ignored
    Nest::Items items;
    for (const auto& [key, value] : inputs_.items()) items.emplace_back(key, input(key));
    given = Nest::dict(std::move(items)).flatten();
  } else {
    given = inputs.flatten();
  }
  if (given.size() != wanted.size()) {
    const auto name_of = [](const Tensor& t) { return placeholder_source(t).node->layer->name(); };
    throw ValueError(
        "A functional model with {} input(s), \"{}\", was called on {}. Expected the structure {}, "
        "received {}.",
        wanted.size(), join(wanted, "\", \"", name_of), given.size(), inputs_.structure(),
        inputs.structure());
  }
  for (size_t i = 0; i < given.size(); ++i) {
    Tensor& x = given[i];
    if (!x.defined()) continue;
    const Tensor mask = keras_mask(x);
    if (x.dtype() != wanted[i].dtype() || x.is_weak()) x = ops::cast(x, wanted[i].dtype());
    const Shape& shape = wanted[i].shape();
    if (x.rank() == shape.rank() + 1 && x.shape().back() == 1) {
      x = ops::squeeze(x, -1);
    } else if (x.rank() + 1 == shape.rank() && shape.back() == 1) {
      x = ops::expand_dims(x, -1);
    }
    bool fits = x.rank() == shape.rank();
    // The size of the batch may differ from the one that the model was made for.
    for (int d = 1; checks_sizes_ && fits && d < shape.rank(); ++d) {
      fits = shape[d] < 0 || x.shape()[d] < 0 || shape[d] == x.shape()[d];
    }
    if (!fits) {
      throw ValueError(
          "Input {} of a functional model (\"{}\") is incompatible with the model: expected "
          "shape={}, found shape={}",
          i, placeholder_source(wanted[i]).node->layer->name(), shape, x.shape());
    }
    x = with_keras_mask(x, mask);
  }
  return given;
}

Nest FunctionalGraph::run(const Nest& inputs, const CallOptions& options) const {
  Tensors values(static_cast<size_t>(num_slots_));
  const auto at = [&](int slot) -> Tensor& { return values[static_cast<size_t>(slot)]; };
  const Tensors given = match_inputs(inputs);
  for (size_t i = 0; i < given.size(); ++i) at(input_slots_[i]) = given[i];
  if (given.size() == 1 && options.mask.defined())
    at(input_slots_[0]) = with_keras_mask(given[0], options.mask);

  for (const Step& step : steps_) {
    const auto filled = [&](Tensors tensors, const std::vector<int>& slots) {
      for (size_t i = 0; i < tensors.size(); ++i) {
        if (slots[i] >= 0) tensors[i] = at(slots[i]);
      }
      return tensors;
    };
    const Tensors arguments = filled(step.node->inputs.flatten(), step.input_slots);
    // The options of the call that built the graph stay in force.
    CallOptions call = step.node->options;
    if (!step.option_slots.empty()) {
      call = call.with_leaves(filled(call.leaves(), step.option_slots));
    }
    if (!call.training.given()) call.training = options.training;
    const Tensors results = (*step.node->layer)(step.node->inputs.pack(arguments), call).flatten();
    for (size_t i = 0; i < results.size(); ++i)
      at(step.output_slot + static_cast<int>(i)) = results[i];
  }
  Tensors results;
  for (int slot : output_slots_) results.push_back(at(slot));
  return outputs_.pack(results).unpack_singleton();
}

}  // namespace antler
