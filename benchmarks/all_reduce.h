#pragma once

#include "report.h"

namespace antler::bench {

/// Times all-reduces of several sizes over all workers: by this process's communicator and by Gloo
/// alone, alternating, between the same processes. Does nothing without other workers.
void run_all_reduces(Context& context);

}  // namespace antler::bench
