#include "antler/training/callbacks/learning_rate_scheduler.h"

#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {

void LearningRateScheduler::on_epoch_begin(int64_t epoch, HostLogs&) {
  Optimizer& optimizer = model->optimizer();
  const double rate = schedule_(epoch, optimizer.learning_rate().item());
  optimizer.set_learning_rate(rate);
  if (options_.verbose > 0) {
    logging::print("\nEpoch " + std::to_string(epoch + 1) +
                   ": LearningRateScheduler setting learning rate to " +
                   training::python_repr(rate) + ".\n");
  }
}

void LearningRateScheduler::on_epoch_end(int64_t, HostLogs& logs) {
  logs["learning_rate"] = model->optimizer().learning_rate().item();
}

}  // namespace antler::callbacks
