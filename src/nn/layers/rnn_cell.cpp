// RNNCell, PreparedCell and StackedRNNCells.
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/rnn_cells.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/creation.h"
#include "nn/layers/classes.h"
#include "nn/nested_layer.h"

namespace antler {

namespace {

Nest pack_into(const Nest& structure, const Nest& states) {
  return structure.pack(states.flatten());
}

void check_cell_inputs(const RNNCell& cell, const Nest& inputs) {
  if (inputs.is_list() && inputs.size() == 2 && inputs[0].is_tensor()) return;
  throw ValueError("Cell \"{}\" must be called on {{inputs, states}}. Received the structure {}.",
                   cell.name(), inputs.structure());
}

}  // namespace

std::vector<int64_t> RNNCell::state_size() const { return {}; }

Nest RNNCell::initial_state(int64_t batch) const {
  Tensors states;
  for (const int64_t size : state_size()) {
    states.push_back(ops::zeros({batch, size}, compute_dtype()));
  }
  if (states.empty()) {
    throw NotImplementedError(
        "Cell \"{}\" (class {}) must override `state_size`, or `initial_state`.", name(),
        class_name());
  }
  return states;
}

std::pair<Tensor, Tensors> RNNCell::call(const Tensor&, const Tensors&) {
  throw NotImplementedError("Cell \"{}\" (class {}) does not override `call`.", name(),
                            class_name());
}

std::pair<Tensor, Tensors> RNNCell::call(const Tensor& inputs, const Tensors& states, bool) {
  return call(inputs, states);
}

Nest RNNCell::call(const Nest& inputs, const CallOptions& options) {
  check_cell_inputs(*this, inputs);
  auto [output, states] =
      call(inputs[0].tensor(), inputs[1].flatten(), options.training.value_or(false));
  return Nest{output, inputs[1].pack(states)};
}

TensorSpec RNNCell::output_spec(int64_t batch) const {
  return initial_state(batch).flatten().at(0).spec();
}

int RNNCell::output_state() const { return -1; }

CellSequence RNNCell::begin(int64_t, bool training) {
  return {.step = [this, training](const Tensor& x, const Nest& states) {
    const Nest result = call(Nest{x, states}, {.training = training});
    if (!result.is_list() || result.size() != 2 || !result[0].is_tensor()) {
      throw ValueError(
          "Cell \"{}\": `call` must return {{output, states}}. Received the structure {}.", name(),
          result.structure());
    }
    // A single state may be given without a list.
    return CellResult{result[0].tensor(), result[1].is_tensor() ? Nest{result[1]} : result[1]};
  }};
}

std::optional<SequenceResult> RNNCell::run_sequence(const Tensor&, const Nest&, bool, bool) {
  return {};
}

void RNNCell::build(const std::vector<Shape>& input_shapes) {
  if (input_shapes.empty()) throw ValueError("Cell \"{}\": `build` needs an input shape.", name());
  build(input_shapes[0]);
}

Nest PreparedCell::call(const Nest& inputs, const CallOptions& options) {
  check_cell_inputs(*this, inputs);
  const Tensor& x = inputs[0].tensor();
  const CellSequence sequence = begin(x.dim(0), options.training.value_or(false));
  const Nest states = pack_into(initial_state(x.dim(0)), inputs[1]);
  CellResult result = sequence.step(sequence.project ? sequence.project(x) : x, states);
  return Nest{result.output, std::move(result.states)};
}

CallSignature RNNCell::call_signature() const { return {{"inputs", "states"}, {"training"}}; }

std::shared_ptr<RNNCell> as_rnn_cell(const LayerPtr& layer) {
  std::shared_ptr<RNNCell> cell = std::dynamic_pointer_cast<RNNCell>(layer);
  if (cell == nullptr) {
    throw ValueError("A recurrent layer needs a cell, a layer derived from RNNCell. Received: {}.",
                     layer == nullptr
                         ? std::string("None")
                         : "layer \"" + layer->name() + "\" of class " + layer->class_name());
  }
  return cell;
}

template <class V>
void fields(V& v, StackedRNNCellsOptions& o) {
  v("cells", o.cells);
}

namespace {

std::vector<LayerPtr> layers_of(const std::vector<LayerHandle>& handles) {
  std::vector<LayerPtr> layers;
  layers.reserve(handles.size());
  for (const LayerHandle& handle : handles) layers.push_back(handle.layer());
  return layers;
}

}  // namespace

StackedRNNCells::StackedRNNCells(const std::vector<LayerHandle>& cells,
                                 StackedRNNCellsOptions options)
    : StackedRNNCells(by_position<&StackedRNNCellsOptions::cells>(
          "StackedRNNCells", std::move(options), layers_of(cells))) {}

StackedRNNCells::StackedRNNCells(const StackedRNNCellsOptions& options) : LayerOf(options) {
  if (options_.cells.empty()) throw ValueError("StackedRNNCells: `cells` must not be empty.");
  std::vector<std::pair<std::string, int>> used;  // Keras's names of the items of a list
  for (const LayerPtr& layer : options_.cells) {
    cells_.push_back(as_rnn_cell(layer));
    std::string part = to_snake_case(layer->class_name());
    int count = 0;
    for (const auto& [name, n] : used) count += name == part ? 1 : 0;
    used.emplace_back(part, count);
    if (count > 0) part += "_" + std::to_string(count);
    track_layer("cells/" + part, layer);
  }
}

void StackedRNNCells::build(const Shape& input_shape) {
  Shape shape = input_shape;
  for (const auto& cell : cells_) {
    cell->ensure_built({shape});
    const Shape output = cell->output_spec(1).shape;
    shape = Shape{input_shape[0]};
    for (int i = 1; i < output.rank(); ++i) shape.push_back(output[i]);
  }
}

Nest StackedRNNCells::initial_state(int64_t batch) const {
  if (cells_.size() == 1) return cells_[0]->initial_state(batch);
  std::vector<Nest> states;
  for (const auto& cell : cells_) states.push_back(cell->initial_state(batch));
  return Nest(std::move(states));
}

TensorSpec StackedRNNCells::output_spec(int64_t batch) const {
  return cells_.back()->output_spec(batch);
}

int StackedRNNCells::output_state() const {
  const int last = cells_.back()->output_state();
  if (last < 0) return -1;
  size_t before = 0;
  for (size_t i = 0; i + 1 < cells_.size(); ++i) {
    before += cells_[i]->initial_state(1).flatten().size();
  }
  return static_cast<int>(before) + last;
}

CellSequence StackedRNNCells::begin(int64_t batch, bool training) {
  std::vector<CellSequence> parts;
  for (const auto& cell : cells_) parts.push_back(cell->begin(batch, training));
  const std::function<Tensor(const Tensor&)> project = parts[0].project;
  const auto step = [parts = std::move(parts)](const Tensor& x, const Nest& states) {
    Tensor value = x;
    std::vector<Nest> next;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 && parts[i].project) value = parts[i].project(value);
      CellResult result = parts[i].step(value, parts.size() == 1 ? states : states[i]);
      value = result.output;
      next.push_back(std::move(result.states));
    }
    return CellResult{value, next.size() == 1 ? next[0] : Nest(std::move(next))};
  };
  return {.project = project, .step = step};
}

LayerClasses rnn_cell_layers() { return layer_classes<StackedRNNCells>(); }

}  // namespace antler
