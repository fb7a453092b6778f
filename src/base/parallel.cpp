#include "antler/base/parallel.h"

#include <atomic>

namespace antler {
namespace {

void run_inline(int64_t count, RangeBody body, void* context) {
  if (count > 0) body(context, 0, count);
}

std::atomic<RangeRunner> g_runner = run_inline;

}  // namespace

void set_range_runner(RangeRunner runner) { g_runner = runner; }
RangeRunner range_runner() { return g_runner; }

}  // namespace antler
