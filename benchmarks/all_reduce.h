#pragma once

#include "report.h"

namespace antler::bench {

/// Times sums of arrays of several sizes over all workers, by the communicator of this process and
/// by Gloo alone, between the same processes, in turn. Does nothing without other workers.
void run_all_reduces(Context& context);

}  // namespace antler::bench
