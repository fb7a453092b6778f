#include "antler/training/sequential.h"

#include <algorithm>
#include <typeinfo>

#include "antler/base/error.h"
#include "antler/nn/layers/input.h"
#include "training/model_state.h"

namespace antler {
namespace {

/// Throws ValueError if `model` was built for another input shape.
void check_same_input(const Sequential& model, const Shape& input_shape) {
  const Shape known = model.input_shape();
  const auto same = [](int64_t a, int64_t b) { return a == b || a < 0 || b < 0; };
  bool fits = input_shape.rank() == known.rank();
  for (int i = 0; fits && i < known.rank(); ++i)
    fits = i == 0 ? same(input_shape[i], known[i]) : input_shape[i] == known[i];
  if (fits) return;
  throw ValueError(
      "Sequential model '{}' has already been configured to use input shape {}. You cannot build "
      "it with input_shape {}.",
      model.name(), known, input_shape);
}

}  // namespace

Sequential::Sequential(std::initializer_list<LayerHandle> layers, const LayerOptions& options)
    : Sequential(std::vector<LayerHandle>(layers), options) {}

Sequential::Sequential(const std::vector<LayerHandle>& layers, const LayerOptions& options)
    : Model("Sequential", options), stack_(std::make_shared<std::vector<LayerPtr>>()) {
  for (const LayerHandle& layer : layers) stack_->push_back(layer.layer());
  rebuild();
}

Sequential::Sequential(const LayerOptions& options)
    : Model("Sequential", options), stack_(std::make_shared<std::vector<LayerPtr>>()) {}

// The shared instance remains a Sequential; calls of its handles go there.
Model::Model(const Sequential& model) : Model(static_cast<const Model&>(model)) { model.share(); }

std::unique_ptr<Layer> Sequential::clone_handle() const {
  if (typeid(*this) != typeid(Sequential)) return nullptr;
  return std::make_unique<Sequential>(*this);
}

void Sequential::rebuild() {
  for (size_t i = 0; i < stack_->size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if ((*stack_)[k]->name() == (*stack_)[i]->name()) {
        throw ValueError(
            "All layers added to a Sequential model should have unique names. Name '{}' is already "
            "the name of a layer in this model.",
            (*stack_)[i]->name());
      }
    }
  }
  model_state()->compiled_call.reset();
  model_state()->graph.reset();
  if (stack_->empty()) return;
  const auto* input = dynamic_cast<const InputLayer*>(stack_->front().get());
  if (input == nullptr) {
    for (const LayerPtr& layer : *stack_) track_layer(layer->name(), layer);
    return;
  }
  const Tensor start = input->placeholder();
  Tensor x = start;
  for (size_t i = 1; i < stack_->size(); ++i) {
    if (dynamic_cast<const InputLayer*>((*stack_)[i].get()) != nullptr) {
      throw ValueError(
          "Sequential model '{}' has already been configured to use input shape {}. You cannot add "
          "a different Input layer to it.",
          name(), start.shape());
    }
    x = (*(*stack_)[i])(x);
  }
  set_graph(start, x);
}

void Sequential::add(const LayerHandle& layer) {
  stack_->push_back(layer.layer());
  try {
    rebuild();
  } catch (...) {
    stack_->pop_back();
    throw;
  }
  model_state()->drop_functions();
}

LayerPtr Sequential::pop() {
  if (stack_->empty()) throw TypeError("There are no layers in the model.");
  LayerPtr last = stack_->back();
  stack_->pop_back();
  rebuild();
  model_state()->drop_functions();
  return last;
}

void Sequential::build(const Shape& input_shape) {
  if (stack_->empty()) return;
  if (model_state()->graph != nullptr) return check_same_input(*this, input_shape);
  // From now on the stack is a functional graph, as if it had started with an Input.
  const Shape sample(input_shape.begin() + 1, input_shape.end());
  const Tensor start = Input(sample);
  Tensor x = start;
  for (const LayerPtr& layer : *stack_) x = (*layer)(x);
  set_graph(start, x);
  // Nobody asked for the sizes of the first input.
  model_state()->graph->accept_other_sizes();
}

Tensor Sequential::call(const Tensor& input, const CallOptions& options) {
  return call(Nest(input), options).tensor();
}

Nest Sequential::call(const Nest& inputs, const CallOptions& options) {
  if (model_state()->graph != nullptr) return Model::call(inputs, options);
  if (stack_->empty()) {
    throw ValueError(
        "Sequential model {} cannot be built because it has no layers. Call `model.add(layer)`.",
        name());
  }
  Nest x = inputs;
  for (const LayerPtr& layer : *stack_) x = (*layer)(x, options);
  return x;
}

}  // namespace antler
