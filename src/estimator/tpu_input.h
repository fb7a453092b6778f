#pragma once

#include <memory>
#include <vector>

#include "antler/estimator/tpu_system.h"
#include "estimator/input_stream.h"

namespace antler::estimator {

/// Joins the batches of several calls of input_fn into global ones, in the order of the replicas:
/// along axis 0, or along `batch_axis` of each leaf. `elements_per_stream`: how many batches of
/// each stream make a global one.
std::shared_ptr<InputStream> join_streams(std::vector<std::shared_ptr<InputStream>> streams,
                                          int64_t elements_per_stream,
                                          const std::vector<int64_t>& batch_axis);

}  // namespace antler::estimator
