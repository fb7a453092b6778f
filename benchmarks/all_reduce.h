#pragma once

#include "report.h"

namespace antler::bench {

/// Times all-reduces of several sizes over all workers, alternately by Antler's communicator and by
/// Gloo alone, between the same processes. Does nothing without other workers.
void run_all_reduces(Context& context);

}  // namespace antler::bench
