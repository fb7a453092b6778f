#pragma once

#include <memory>

#include "antler/data/data_source.h"
#include "antler/ops/communicator.h"

namespace antler::distribute {

/// The batches that this worker reads itself, as its parts of global ones. The workers tell each
/// other how many rows their next batches have, for several batches in one message. A worker whose
/// data has ended before that of the others reads dummies, so that all do the same number of steps.
///
/// Every worker makes one and reads it in the same way. Throws UnavailableError if another worker
/// cannot read its data, and ValueError if one has no batch at all while others have some.
std::shared_ptr<DataSource> agreed_batches(std::shared_ptr<DataSource> own,
                                           ops::Communicator& workers);

}  // namespace antler::distribute
