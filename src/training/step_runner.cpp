#include "antler/training/step_runner.h"

#include <algorithm>

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
  if (source_.batch_rows() > 0) current();
}

int64_t StepRunner::run(int64_t n, Nest& outputs) {
  int64_t done = 0;
  while (done < n && source_.batch_rows() > 0) {
    const int64_t steps = current().run(n - done, source_, outputs);
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

HostLogs to_host(const Nest& logs) {
  HostLogs host;
  for (const auto& [name, value] : logs.items()) {
    const Tensor& t = value.tensor();
    host[name] = t.dtype() == DType::float32 && t.size() == 1
                     ? static_cast<double>(*t.data<float>())
                     : t.item();
  }
  return host;
}

}  // namespace antler
