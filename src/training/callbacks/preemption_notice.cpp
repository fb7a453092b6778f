#include "training/callbacks/preemption_notice.h"

#include <atomic>
#include <csignal>
#include <mutex>

namespace antler::callbacks {
namespace {

std::atomic<bool> g_came = false;
static_assert(std::atomic<bool>::is_always_lock_free, "written by a signal handler");

std::mutex g_mutex;
int g_instances = 0;
struct sigaction g_previous;

void on_signal(int) { g_came = true; }

void take_over() {
  struct sigaction own = {};
  own.sa_handler = on_signal;
  own.sa_flags = SA_RESTART;
  sigemptyset(&own.sa_mask);
  sigaction(SIGTERM, &own, &g_previous);
}

}  // namespace

PreemptionNotice::PreemptionNotice() {
  const std::lock_guard lock(g_mutex);
  if (g_instances++ == 0) take_over();
}

PreemptionNotice::~PreemptionNotice() {
  const std::lock_guard lock(g_mutex);
  if (--g_instances > 0) return;
  sigaction(SIGTERM, &g_previous, nullptr);
  if (g_came.exchange(false)) std::raise(SIGTERM);
}

bool PreemptionNotice::came() const { return g_came; }
void PreemptionNotice::dismiss() { g_came = false; }

void PreemptionNotice::pass_on() {
  const std::lock_guard lock(g_mutex);
  if (!g_came.exchange(false)) return;
  sigaction(SIGTERM, &g_previous, nullptr);
  std::raise(SIGTERM);
  take_over();  // if the signal did not end the process
}

}  // namespace antler::callbacks
