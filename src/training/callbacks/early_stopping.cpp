#include "antler/training/callbacks/early_stopping.h"

#include <utility>

#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/state_json.h"

namespace antler::callbacks {

EarlyStopping::EarlyStopping(const EarlyStoppingOptions& options)
    : MonitorCallback(kName, options.monitor, options.mode, options.min_delta), options_(options) {}

void EarlyStopping::on_train_begin(const Logs&) {
  wait_ = 0;
  stopped_epoch_ = 0;
  best_epoch_ = 0;
  best_.reset();
  best_weights_.clear();
}

void EarlyStopping::on_epoch_end(int epoch, const Logs& logs) {
  resolve_direction();
  const auto current = logs.find(monitor());
  if (!current) {
    logging::warning(format("Early stopping conditioned on metric `{}` which is not available. {}",
                            monitor(), available(logs)));
    return;
  }
  if (epoch < options_.start_from_epoch) return;
  if (options_.restore_best_weights && best_weights_.empty()) {
    best_weights_ = model->get_weights();
    best_epoch_ = epoch;
  }
  ++wait_;
  if (is_improvement(*current, best_)) {
    best_ = *current;
    best_epoch_ = epoch;
    if (options_.restore_best_weights) best_weights_ = model->get_weights();
    if (!options_.baseline || is_improvement(*current, options_.baseline)) wait_ = 0;
    return;
  }
  if (wait_ >= options_.patience && epoch > 0) {
    stopped_epoch_ = epoch;
    model->set_stop_training(true);
  }
}

void EarlyStopping::on_train_end(const Logs&) {
  if (stopped_epoch_ > 0 && options_.verbose > 0) {
    logging::print(format("Epoch {}: early stopping\n", stopped_epoch_ + 1));
  }
  if (!options_.restore_best_weights || best_weights_.empty()) return;
  if (options_.verbose > 0) {
    logging::print(
        format("Restoring model weights from the end of the best epoch: {}.\n", best_epoch_ + 1));
  }
  model->set_weights(best_weights_);
}

Json EarlyStopping::get_state() const {
  return {{"wait", wait_},
          {"stopped_epoch", stopped_epoch_},
          {"best_epoch", best_epoch_},
          {"best", training::to_json(best_)},
          {"best_weights", training::to_json(best_weights_)}};
}

void EarlyStopping::set_state(const Json& state) {
  wait_ = state.at("wait");
  stopped_epoch_ = state.at("stopped_epoch");
  best_epoch_ = state.at("best_epoch");
  best_ = training::number_from_json(state.at("best"));
  best_weights_ = training::tensors_from_json(state.at("best_weights"));
}

template <class V>
void fields(V& v, EarlyStoppingOptions& o) {
  v("monitor", o.monitor);
  v("min_delta", o.min_delta);
  v("patience", o.patience);
  v("verbose", o.verbose);
  v("mode", o.mode);
  v("baseline", o.baseline);
  v("restore_best_weights", o.restore_best_weights);
  v("start_from_epoch", o.start_from_epoch);
}

EarlyStopping EarlyStopping::from_config(const Json& config) {
  return EarlyStopping(read_options<EarlyStopping, EarlyStoppingOptions>(config));
}

}  // namespace antler::callbacks
