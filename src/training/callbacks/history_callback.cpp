#include "training/callbacks/history_callback.h"

#include "antler/training/model.h"

namespace antler {

void HistoryCallback::on_train_begin(const Logs&) {
  model->history() = {};
  model->history().params = params;
}

void HistoryCallback::on_epoch_end(int epoch, const Logs& logs) {
  History& history = model->history();
  history.params = params;
  history.epoch.push_back(epoch);
  for (const auto& [name, value] : logs) {
    history.history[name].push_back(value);
    if (const Tensor* array = logs.array(name)) history.arrays[name].push_back(*array);
  }
}

}  // namespace antler
