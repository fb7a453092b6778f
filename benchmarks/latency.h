#pragma once

#include "report.h"

namespace antler::bench {

/// Latency of predict(), predict_on_batch() and calls of mlp and cnn for 1 and 256 samples.
void run_latencies(Context& context);

}  // namespace antler::bench
