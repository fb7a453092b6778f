#include "kinds.h"

namespace antler::conformance {

std::span<const Kind> all_kinds() {
  static constexpr Kind kKinds[] = {
      {"initializer", run_initializer}, {"loss", run_loss},   {"metric", run_metric},
      {"optimizer", run_optimizer},     {"layer", run_layer},
  };
  return kKinds;
}

}  // namespace antler::conformance
