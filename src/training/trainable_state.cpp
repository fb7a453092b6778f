#include "training/trainable_state.h"

#include <algorithm>

namespace antler::training {
namespace {

void collect(const Layer& layer, std::vector<std::pair<LayerPtr, bool>>& flags) {
  for (const LayerPtr& part : layer.sublayers()) {
    flags.emplace_back(part, part->trainable());
    collect(*part, flags);
  }
}

}  // namespace

TrainableState::TrainableState(Layer& model) : model_(model.trainable()) {
  collect(model, layers_);
}

bool TrainableState::matches(const Layer& model) const {
  return model.trainable() == model_ &&
         std::all_of(layers_.begin(), layers_.end(),
                     [](const auto& entry) { return entry.first->trainable() == entry.second; });
}

void TrainableState::restore(Layer& model) const {
  // Setting a flag also sets those of the sublayers, so outer layers come first.
  model.set_trainable(model_);
  for (const auto& [layer, trainable] : layers_) {
    if (layer->trainable() != trainable) layer->set_trainable(trainable);
  }
}

CompiledTrainable::CompiledTrainable(Layer& model, const TrainableState& compiled)
    : model_(compiled.matches(model) ? nullptr : &model) {
  if (model_ == nullptr) return;
  current_ = TrainableState(model);
  compiled.restore(model);
}

CompiledTrainable::~CompiledTrainable() {
  if (model_ != nullptr) current_.restore(*model_);
}

}  // namespace antler::training
