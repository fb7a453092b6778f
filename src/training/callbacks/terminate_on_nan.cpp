#include "antler/training/callbacks/terminate_on_nan.h"

#include <cmath>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {

void TerminateOnNaN::on_batch_end(int64_t batch, HostLogs& logs) {
  const double* loss = logs.find("loss");
  if (loss == nullptr || std::isfinite(*loss)) return;
  if (options_.raise_error) {
    throw RuntimeError("NaN or Inf loss encountered at batch " + std::to_string(batch) +
                       ". Loss value: " + training::python_repr(*loss) +
                       ". Terminating training immediately.");
  }
  logging::print("Batch " + std::to_string(batch) + ": Invalid loss, terminating training\n");
  model->set_stop_training(true);
}

}  // namespace antler::callbacks
