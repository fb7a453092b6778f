#include <utility>
#include <vector>

#include "nn/layer_state.h"

namespace antler {
namespace {

thread_local std::optional<bool> t_training;
thread_local int t_depth = 0;
thread_local std::vector<const LayerState*> t_names;

}  // namespace

CallScope::CallScope(std::optional<bool> training)
    : previous_training_(std::exchange(t_training, training)) {
  ++t_depth;
}

CallScope::~CallScope() {
  --t_depth;
  t_training = previous_training_;
}

std::optional<bool> CallScope::training() { return t_training; }
bool CallScope::outermost() { return t_depth == 0; }

NameScope::NameScope(const Layer& layer) {
  const LayerState* state = &LayerInternals::state(layer);
  pushed_ = t_names.empty() || t_names.back() != state;
  if (pushed_) t_names.push_back(state);
}

NameScope::~NameScope() {
  if (pushed_) t_names.pop_back();
}

const LayerState* NameScope::innermost() { return t_names.empty() ? nullptr : t_names.back(); }

std::string NameScope::path() {
  std::string text;
  for (const LayerState* state : t_names) text += (text.empty() ? "" : "/") + state->name;
  return text;
}

}  // namespace antler
