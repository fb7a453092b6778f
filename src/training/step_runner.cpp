#include "antler/training/step_runner.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "antler/base/error.h"
#include "distribute/remote_steps.h"
#include "distribute/worker_batch.h"
#include "training/next_batch.h"
#include "training/run_in_parts.h"

namespace antler {
const Function::Specialization& StepRunner::current() {
  for (;;) {
    const int64_t signature = source_.signature();
    if (last_ != nullptr && signature == signature_) return *last_;
    signature_ = signature;
    Function::Specialization& entry = specializations_[signature];
    if (!entry.defined()) {
      const distribute::WorkerBatchScope batch(source_.worker_batch());
      Nest example;
      source_.peek(example);
      entry = function_.specialize(example);
    }
    last_ = &entry;
    if (source_.signature() == signature) return entry;
    // A worker was lost while the function was traced, so this one has another share of the rows.
    last_ = nullptr;
    specializations_.erase(signature);
  }
}

void StepRunner::prepare() {
  if (source_.batch_rows() == 0) return;
  if (remote_ != nullptr) {
    Nest example;
    source_.peek(example);
    return remote_->prepare(function_, example);
  }
  current();
}

int64_t StepRunner::schedule(int64_t n) {
  std::vector<Nest> batches;
  while (std::ssize(batches) < n) {
    std::optional<Nest> batch = training::next_batch(source_);
    if (!batch) break;
    batches.push_back(std::move(*batch));
  }
  const int64_t count = std::ssize(batches);
  if (count > 0) remote_->schedule(function_, std::move(batches));
  return count;
}

void StepRunner::join() {
  if (remote_ != nullptr) remote_->join();
}

int64_t StepRunner::run(int64_t n, Nest& outputs, const Function::StepOutputs& each_step,
                        int64_t period) {
  if (remote_ != nullptr) return schedule(n);
  const auto alike = [&](int64_t count, const Function::StepOutputs& each) -> int64_t {
    if (source_.batch_rows() == 0) return 0;
    // The traced function and eager steps read this scope.
    const distribute::WorkerBatchScope batch(source_.worker_batch());
    return current().run(count, source_, outputs, each, period);
  };
  return training::run_in_parts(n, outputs, each_step, period, alike);
}

int64_t StepRunner::run(const StepsPerExecution& n, Nest& outputs) {
  const int64_t done = run(std::max<int64_t>(n.value(), 1), outputs);
  n.add_steps(done);
  return done;
}

}  // namespace antler
