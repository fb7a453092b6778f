#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "runtime/instance.h"

/// Where instances leave their times while a Profiler exists.
namespace antler::runtime {

extern std::atomic<bool> g_profiling;
inline bool profiling() { return g_profiling.load(std::memory_order_relaxed); }

/// Times of one step: stamps[i] and stamps[i + 1] (steady_seconds()) enclose kernel i. Does nothing
/// when the profiler has stopped in the meantime. `implementations`: one name per kernel.
void record_step(const std::shared_ptr<const CompiledPlan>& compiled,
                 std::span<const double> stamps, std::span<const char* const> implementations);

}  // namespace antler::runtime
