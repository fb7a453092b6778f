#pragma once

#include <memory>

#include "antler/cluster/gloo_communicator.h"
#include "ops/elastic_group.h"

namespace antler::cluster {

/// Connects this process with the others as connect() does, in a group that goes on when processes
/// are lost, and takes in those that come (back). Returns at once if the others have begun; then
/// the process works without them until it enters a training.
///
/// A process counts as lost when its machine says so. If it only does not answer, or does not take
/// part in a collective for `options.timeout`, it is lost after half of that time more. Those that
/// are left go on if decide() lets them; else they throw UnavailableError after `options.timeout`.
std::shared_ptr<ops::ElasticGroup> connect_elastically(const GlooOptions& options);

}  // namespace antler::cluster
