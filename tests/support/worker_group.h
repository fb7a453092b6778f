#pragma once

#include <memory>

#include "antler/ops/communicator.h"

namespace antler::test {

/// Runs the current test in `workers` new processes that are connected by sockets. Returns the
/// group in each of them, and null in the process that started them, after they have ended; there
/// the test has failed if it failed in one of them:
///
///     const auto group = run_in_workers(2);
///     if (group == nullptr) return;
std::shared_ptr<ops::Communicator> run_in_workers(int workers);

}  // namespace antler::test
