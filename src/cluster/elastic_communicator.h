#pragma once

#include <memory>

#include "antler/cluster/gloo_communicator.h"
#include "ops/elastic_group.h"

namespace antler::cluster {

/// Connects this process with the others as connect() does, in a group that continues when
/// processes are lost and admits processes that start or come back. Returns at once if the others
/// have already started; the process then works alone until it enters a training.
///
/// A process counts as lost at once when its machine reports that it has ended. If it does not
/// answer, it counts as lost after half of `options.timeout`: while a collective runs, while a
/// group is connected, and while it catches up. A process that answers but takes no part in a
/// collective for `options.timeout` counts as lost after half of that time more. The remaining
/// processes continue if decide() allows it; otherwise they throw UnavailableError after
/// `options.timeout`.
std::shared_ptr<ops::ElasticGroup> connect_elastically(const GlooOptions& options);

}  // namespace antler::cluster
