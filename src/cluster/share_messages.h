#pragma once

#include <training.pb.h>

#include "cluster/graph_split.h"

namespace antler::cluster {

/// Encodes a share of a split step: `told` is for the task that holds the variables, `part` for the
/// worker. Session, program and incarnation are not set.
void encode(const TaskShare& share, AddShareRequest& told, cluster::Share& part);

}  // namespace antler::cluster
