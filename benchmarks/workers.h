#pragma once

#include "antler/distribute/strategy.h"

/// Benchmarks of several processes on this machine.
namespace antler::bench {

/// Whether this process was started by run_workers().
bool is_worker();
/// The moment (see now()) at which this process began, or in a worker its group.
double start_time();
/// Starts this program with its arguments as `workers` processes, each with a range of cores of its
/// own, and waits for all. Returns the exit status: that of a worker that failed, else 0. Throws
/// RuntimeError if Antler was built without its cluster component.
int run_workers(int workers, char** argv);
/// The strategy of this process: that of the group in a worker, else the default one.
distribute::Strategy worker_strategy();
/// The answer of worker 0.
bool agree(bool answer);

}  // namespace antler::bench
