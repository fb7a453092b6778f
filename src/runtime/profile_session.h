#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "runtime/instance.h"

/// What instances report to the running Profiler.
namespace antler::runtime {

extern std::atomic<bool> g_profiling;
inline bool profiling() { return g_profiling.load(std::memory_order_relaxed); }

/// Records one step: kernel i ran from stamps[i] to stamps[i + 1] (steady_seconds()), by
/// implementations[i]. Does nothing if the profiler has stopped in the meantime.
void record_step(const std::shared_ptr<const CompiledPlan>& compiled,
                 std::span<const double> stamps, std::span<const char* const> implementations);

}  // namespace antler::runtime
