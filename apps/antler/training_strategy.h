#pragma once

#include "antler/distribute/strategy.h"

/// How the commands train. The program antler has local_strategy.cpp, antler-worker, a worker of
/// `antler fit --workers N`, has worker_strategy.cpp.
namespace antler::cli {

/// Whether this process is a worker of a group.
bool is_worker();
/// The strategy of the models that commands train. In a worker, waits for the others.
distribute::Strategy training_strategy();

}  // namespace antler::cli
