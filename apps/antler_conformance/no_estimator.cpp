#include "kinds.h"

namespace antler::conformance {

void run_estimator(const GoldenCase& /*golden*/, Check& /*check*/) {
  throw Unsupported{"estimators: this build is without antler::estimator"};
}

}  // namespace antler::conformance
