#include "antler/training/callbacks/reduce_lr_on_plateau.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"
#include "training/callbacks/state_json.h"

namespace antler::callbacks {

ReduceLROnPlateau::ReduceLROnPlateau(const ReduceLROnPlateauOptions& options)
    : MonitorCallback(kName, options.monitor, options.mode, options.min_delta), options_(options) {
  if (options.factor >= 1) {
    throw ValueError("ReduceLROnPlateau does not support a factor >= 1.0. Received factor={}",
                     training::python_repr(options.factor));
  }
}

void ReduceLROnPlateau::on_train_begin(const Logs&) {
  best_.reset();
  cooldown_counter_ = 0;
  wait_ = 0;
}

bool ReduceLROnPlateau::reduce(int64_t epoch) {
  Optimizer& optimizer = model->optimizer();
  const double rate = optimizer.learning_rate().item();
  if (rate <= static_cast<double>(static_cast<float>(options_.min_lr))) return false;
  const double reduced = std::max(rate * options_.factor, options_.min_lr);
  optimizer.set_learning_rate(reduced);
  if (options_.verbose > 0) {
    logging::print(format("\nEpoch {}: ReduceLROnPlateau reducing learning rate to {}.\n",
                          epoch + 1, training::python_repr(reduced)));
  }
  return true;
}

void ReduceLROnPlateau::on_epoch_end(int epoch, const Logs& logs) {
  resolve_direction();
  add_log("learning_rate", model->optimizer().learning_rate().item());
  const auto current = logs.find(monitor());
  if (!current) {
    logging::warning(
        format("Learning rate reduction is conditioned on metric `{}` which is not available. {}.",
               monitor(), available(logs)));
    return;
  }
  if (cooldown_counter_ > 0) {
    --cooldown_counter_;
    wait_ = 0;
  }
  if (is_improvement(*current, best_)) {
    best_ = *current;
    wait_ = 0;
  } else if (cooldown_counter_ == 0) {
    ++wait_;
    if (wait_ >= options_.patience && reduce(epoch)) {
      cooldown_counter_ = options_.cooldown;
      wait_ = 0;
    }
  }
}

Json ReduceLROnPlateau::get_state() const {
  return {
      {"best", training::to_json(best_)}, {"cooldown_counter", cooldown_counter_}, {"wait", wait_}};
}

void ReduceLROnPlateau::set_state(const Json& state) {
  best_ = training::number_from_json(state.at("best"));
  cooldown_counter_ = state.at("cooldown_counter");
  wait_ = state.at("wait");
}

template <class V>
void fields(V& v, ReduceLROnPlateauOptions& o) {
  v("monitor", o.monitor);
  v("factor", o.factor);
  v("patience", o.patience);
  v("verbose", o.verbose);
  v("mode", o.mode);
  v("min_delta", o.min_delta);
  v("cooldown", o.cooldown);
  v("min_lr", o.min_lr);
}

ReduceLROnPlateau ReduceLROnPlateau::from_config(const Json& config) {
  return ReduceLROnPlateau(read_options<ReduceLROnPlateau, ReduceLROnPlateauOptions>(config));
}

}  // namespace antler::callbacks
