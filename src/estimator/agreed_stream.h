#pragma once

#include <memory>

#include "antler/ops/communicator.h"
#include "estimator/input_stream.h"

namespace antler::estimator {

/// The batches of this worker's stream, as long as every worker has one, because a step needs a
/// batch of each worker. The workers tell each other how many they have, several at a time. Each
/// worker creates such a stream and reads it in the same way. Throws UnavailableError if another
/// worker cannot read its data.
std::shared_ptr<InputStream> agreed_stream(std::shared_ptr<InputStream> own,
                                           ops::Communicator& workers);

}  // namespace antler::estimator
