#include "antler/training/callbacks/progbar_logger.h"

#include <string>

#include "antler/base/logging.h"
#include "antler/training/model.h"

namespace antler::callbacks {

bool ProgbarLogger::uses(BatchHook hook) const {
  return !in_fit_ || (hook != BatchHook::test_begin && hook != BatchHook::test_end);
}

void ProgbarLogger::start() {
  bar_ = std::make_shared<Progbar>(target_, ProgbarOptions{.verbose = params.verbose});
  seen_ = 0;
}

void ProgbarLogger::batch_done(int64_t batch, const Logs& logs) {
  if (seen_ == 0) {
    // The model's metrics are running means already, so they are shown as they are. They exist only
    // after the first step. Only their names are needed here, so later steps may have begun. The
    // names are read only once, because a device waits while values are read.
    if (metrics_.empty()) {
      metrics_ = model->metrics_names();
      for (const auto& [name, value] : model->get_metrics_result().entries())
        metrics_.push_back(name);
    }
    bar_->set_stateful_metrics(metrics_);
  }
  seen_ = batch + 1;
  if (params.verbose == 1) bar_->update(seen_, {logs.begin(), logs.end()}, 0);
}

void ProgbarLogger::finish(const Logs& logs) {
  if (target_ < 0) {  // the size is known now
    target_ = seen_;
    bar_->set_target(seen_);
  }
  bar_->update(target_, {logs.begin(), logs.end()}, 1);
}

void ProgbarLogger::on_train_begin(const Logs&) {
  in_fit_ = true;
  target_ = params.steps;
  metrics_.clear();
}

void ProgbarLogger::on_epoch_begin(int epoch, const Logs&) {
  if (params.verbose != 0 && params.epochs > 1) {
    logging::print(format("Epoch {}/{}\n", epoch + 1, params.epochs));
  }
  start();
}

void ProgbarLogger::on_train_batch_end(int batch, const Logs& logs) { batch_done(batch, logs); }
void ProgbarLogger::on_epoch_end(int, const Logs& logs) { finish(logs); }

void ProgbarLogger::on_test_begin(const Logs&) {
  if (in_fit_) return;
  target_ = params.steps;
  metrics_.clear();
  start();
}

void ProgbarLogger::on_test_batch_end(int batch, const Logs& logs) {
  if (!in_fit_) batch_done(batch, logs);
}

void ProgbarLogger::on_test_end(const Logs& logs) {
  if (!in_fit_) finish(logs);
}

void ProgbarLogger::on_predict_begin(const Logs&) {
  target_ = params.steps;
  metrics_.clear();
  start();
}

void ProgbarLogger::on_predict_batch_end(int batch, const Nest&) { batch_done(batch, {}); }

void ProgbarLogger::on_predict_end(const Logs& logs) { finish(logs); }

ProgbarLogger ProgbarLogger::from_config(const Json&) { return {}; }

}  // namespace antler::callbacks
