#pragma once

#include <memory>

#include "antler/data/data_source.h"
#include "antler/ops/communicator.h"

namespace antler::distribute {

/// Serves the batches that this worker reads itself as its parts of global batches. The workers
/// tell each other how many rows their next batches have, several batches per message. A worker
/// whose data ends first gets dummy batches, so that all workers run the same number of steps.
///
/// Every worker creates one and reads it in the same way. Throws UnavailableError if another worker
/// cannot read its data, and ValueError if a worker has no data at all while others have some.
std::shared_ptr<DataSource> agreed_batches(std::shared_ptr<DataSource> own,
                                           ops::Communicator& workers);

}  // namespace antler::distribute
