#pragma once

#include "report.h"

namespace antler::bench {

/// Times functions that a ClusterCoordinator schedules. Run it under `antler launch --workers W
/// --ps P`; the tasks "worker" and "ps" serve until they are killed. Does nothing without a
/// cluster.
void run_coordinator(Context& context);

}  // namespace antler::bench
