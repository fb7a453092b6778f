#include "antler/training/callbacks/swap_ema_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"

namespace antler::callbacks {
namespace {

using Pairs = std::vector<std::pair<Variable, Variable>>;

/// Weights and their averages. The optimizer names an average after its weight; those of weights
/// with the same path are in the order of the weights.
Pairs weights_and_averages(const Model& model) {
  Variables state = model.optimizer().variables();
  Pairs pairs;
  for (const Variable& weight : model.trainable_variables()) {
    std::string name = weight.path();
    std::replace(name.begin(), name.end(), '/', '_');
    name += "_average";
    const auto average = std::find_if(state.begin(), state.end(),
                                      [&](const Variable& v) { return v.name() == name; });
    if (average == state.end()) continue;
    pairs.emplace_back(weight, *average);
    state.erase(average);
  }
  if (pairs.empty()) {
    throw ValueError(
        "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer, and after its "
        "first step. The optimizer `{}` keeps no averages.",
        model.optimizer().name());
  }
  return pairs;
}

}  // namespace

void SwapEMAWeights::exchange(bool averages_in_model) {
  if (averages_in_model_ == averages_in_model) return;
  for (const auto& [weight, average] : weights_and_averages(*model)) {
    const Tensor value = weight.stored();
    weight.store(average.stored());
    average.store(value);
  }
  averages_in_model_ = averages_in_model;
}

void SwapEMAWeights::on_epoch_begin(int, const Logs&) {
  if (options_.swap_on_epoch) exchange(false);
}

void SwapEMAWeights::on_epoch_end(int epoch, const Logs&) {
  if (!options_.swap_on_epoch) return;
  exchange(true);
  // When it ends, fit copies the averages into the weights, so both must hold the averages after
  // the last epoch.
  if (epoch == params.epochs - 1 || model->stop_training()) {
    for (const auto& [weight, average] : weights_and_averages(*model))
      average.store(weight.stored());
    averages_in_model_ = false;
  }
}

Json SwapEMAWeights::get_state() const { return {{"averages_in_model", averages_in_model_}}; }
void SwapEMAWeights::set_state(const Json& state) {
  averages_in_model_ = state.at("averages_in_model");
}

void SwapEMAWeights::on_test_begin(const Logs&) { exchange(true); }
void SwapEMAWeights::on_test_end(const Logs&) { exchange(false); }
void SwapEMAWeights::on_predict_begin(const Logs&) { exchange(true); }
void SwapEMAWeights::on_predict_end(const Logs&) { exchange(false); }

template <class V>
void fields(V& v, SwapEMAWeightsOptions& o) {
  v("swap_on_epoch", o.swap_on_epoch);
}

SwapEMAWeights SwapEMAWeights::from_config(const Json& config) {
  return SwapEMAWeights(read_options<SwapEMAWeights, SwapEMAWeightsOptions>(config));
}

}  // namespace antler::callbacks
