#include "antler/training/step_runner.h"

#include <algorithm>

#include "antler/base/error.h"
#include "distribute/worker_batch.h"

namespace antler {

const Function::Specialization& StepRunner::current() {
  const int64_t signature = source_.signature();
  if (last_ != nullptr && signature == signature_) return *last_;
  signature_ = signature;
  Function::Specialization& entry = specializations_[signature];
  if (!entry.defined()) {
    Nest example;
    source_.peek(example);
    entry = function_.specialize(example);
  }
  last_ = &entry;
  return entry;
}

void StepRunner::prepare() {
  if (source_.batch_rows() == 0) return;
  const distribute::WorkerBatchScope batch(source_.worker_batch());
  current();
}

int64_t StepRunner::run(int64_t n, Nest& outputs, const Function::StepOutputs& each_step) {
  int64_t done = 0;
  while (done < n && source_.batch_rows() > 0) {
    // Read by traces, and by each step that runs eagerly.
    const distribute::WorkerBatchScope batch(source_.worker_batch());
    const int64_t steps = current().run(n - done, source_, outputs, each_step);
    if (steps == 0) break;
    done += steps;
  }
  return done;
}

int64_t StepRunner::run(const StepsPerExecution& n, Nest& outputs) {
  const int64_t done = run(std::max<int64_t>(n.value(), 1), outputs);
  n.add_steps(done);
  return done;
}

}  // namespace antler
