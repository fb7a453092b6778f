#pragma once

#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "antler/distribute/initialize.h"

namespace antler::cluster {

/// Keras's `distribution.initialize` for several processes: describes them as
/// distribution::initialize() does, and connects them by Gloo. Only the communication settings of
/// `connection` are used. Throws what distribution::initialize() and connect() throw.
void initialize(const distribution::InitializeOptions& options = {},
                const MultiWorkerMirroredOptions& connection = {});

}  // namespace antler::cluster
