#include <cmath>

#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"

namespace antler::estimator {

NanTensorHook::NanTensorHook(Fetch loss, bool fail_on_nan_loss)
    : loss_(std::move(loss)), fail_(fail_on_nan_loss) {}

SessionRunArgs NanTensorHook::before_run(SessionRunContext& /*context*/) {
  return {.fetches = {{"loss", loss_}}};
}

void NanTensorHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  if (!std::isnan(values.at("loss").item())) return;
  logging::warning("Model diverged with loss = NaN.");
  if (fail_) throw NanLossDuringTrainingError();
  context.request_stop();
}

}  // namespace antler::estimator
