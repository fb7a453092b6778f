#include "interrupt.h"

#include <csignal>

namespace antler::cli {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void on_interrupt(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptCallback::InterruptCallback() { std::signal(SIGINT, on_interrupt); }

bool InterruptCallback::interrupted() { return g_interrupted != 0; }

void InterruptCallback::on_train_batch_end(int64_t batch, HostLogs&) {
  step_ = batch + 1;
  // The last step of an epoch ends with the epoch.
  if (interrupted() && step_ != params.steps) throw Interrupted();
}

void InterruptCallback::on_epoch_end(int64_t, HostLogs&) {
  if (interrupted()) throw Interrupted();
}

}  // namespace antler::cli
