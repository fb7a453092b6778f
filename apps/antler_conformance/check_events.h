#pragma once

#include <cstdint>
#include <string>

#include "check.h"
#include "fit_settings.h"

namespace antler::conformance {

/// Numbers of batches of a training pass and of a test or prediction pass.
struct BatchCounts {
  int64_t train = INT64_MAX;
  int64_t other = INT64_MAX;
};

/// Compares the calls of hooks with `expected["events"]`, if it exists; `where` names the step.
void check_events(const std::string& where, const Json& got, const Json& expected,
                  const BatchCounts& counts, const FitSettings& settings, Check& check);

}  // namespace antler::conformance
