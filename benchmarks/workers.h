#pragma once

#include "antler/distribute/strategy.h"

/// Benchmarks of several processes on this machine.
namespace antler::bench {

/// Whether this process was started by run_workers().
bool is_worker();
/// The time (see now()) at which this process, or the group of a worker, was started.
double start_time();
/// Starts this program with its arguments as `workers` processes, each with its own range of cores,
/// and waits for all. Returns the exit status of a failed worker, or 0. Throws RuntimeError if
/// Antler was built without its cluster component.
int run_workers(int workers, char** argv);
/// The group's strategy in a worker, otherwise the default one.
distribute::Strategy worker_strategy();
/// Returns worker 0's `answer` in all workers.
bool agree(bool answer);

}  // namespace antler::bench
