#include "interrupt.h"

#include <csignal>

#include "antler/training/model.h"

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

void InterruptCallback::on_train_batch_end(int64_t, HostLogs&) {
  if (interrupted()) model->set_stop_training(true);
}

}  // namespace antler::cli
