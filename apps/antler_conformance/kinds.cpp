#include "kinds.h"

namespace antler::conformance {

std::span<const Kind> all_kinds() {
  static constexpr Kind kKinds[] = {
      {"initializer", run_initializer},
      {"loss", run_loss},
      {"metric", run_metric},
      {"optimizer", run_optimizer},
      {"function", run_function},
      {"layer", run_layer},
      {"fit", run_fit},
      {"distribute", run_distribute},
      {"interop", run_interop},
      {"errors", run_errors},
      {"estimator", run_estimator},
      {"configurations", run_configurations},
  };
  return kKinds;
}

}  // namespace antler::conformance
