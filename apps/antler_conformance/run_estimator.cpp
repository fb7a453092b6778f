#include "estimator/run_scenario.h"
#include "kinds.h"

namespace antler::conformance {

void run_estimator(const GoldenCase& golden, Check& check) {
  if (golden.json.contains("table")) return estimators::run_table(golden, check);
  estimators::run_scenario(golden, check);
}

}  // namespace antler::conformance
