#include "common/interrupt.h"

#include <csignal>

namespace antler::cli {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
bool g_noticed = false;

void on_interrupt(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptCallback::InterruptCallback() { std::signal(SIGINT, on_interrupt); }

bool InterruptCallback::notice() {
  g_noticed = g_interrupted != 0;
  return g_noticed;
}

void InterruptCallback::on_train_batch_end(int batch, const Logs&) {
  step_ = batch + 1;
  // After the last step of an epoch, on_epoch_end() ends the training.
  if (g_noticed && step_ != params.steps) throw Interrupted();
}

void InterruptCallback::on_epoch_end(int, const Logs&) {
  if (g_noticed) throw Interrupted();
}

}  // namespace antler::cli
