#pragma once

#include "report.h"

namespace antler::bench {

/// Latency of `predict`, `predict_on_batch` and the model's call for 1 and 256 samples of mlp and
/// cnn.
void run_latencies(Context& context);

}  // namespace antler::bench
