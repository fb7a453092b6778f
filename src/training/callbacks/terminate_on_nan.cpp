#include "antler/training/callbacks/terminate_on_nan.h"

#include <cmath>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {

void TerminateOnNaN::on_batch_end(int batch, const Logs& logs) {
  const auto loss = logs.find("loss");
  if (!loss || std::isfinite(*loss)) return;
  if (options_.raise_error) {
    throw RuntimeError(
        "NaN or Inf loss encountered at batch {}. Loss value: {}. Terminating training "
        "immediately.",
        batch, training::python_repr(*loss));
  }
  logging::print(format("Batch {}: Invalid loss, terminating training\n", batch));
  model->set_stop_training(true);
}

template <class V>
void fields(V& v, TerminateOnNaNOptions& o) {
  v("raise_error", o.raise_error);
}

TerminateOnNaN TerminateOnNaN::from_config(const Json& config) {
  return TerminateOnNaN(read_options<TerminateOnNaN, TerminateOnNaNOptions>(config));
}

}  // namespace antler::callbacks
