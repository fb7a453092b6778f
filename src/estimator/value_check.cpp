#include "estimator/value_check.h"

#include <span>

#include "antler/estimator/errors.h"
#include "antler/estimator/graph.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/graph_state.h"

namespace antler::estimator {

void require_values(const Tensor& values, double low, double high, const std::string& message) {
  if (!Graph::has_current()) return;
  const Graph graph = Graph::current();
  GraphState& state = *graph.state();
  const std::string name = format("{}{}", kCheck, state.next_check++);
  const Tensor extremes =
      values.size() == 0
          ? Tensor::full(DType::float64, {2}, low)
          : ops::cast(ops::stack({ops::min(values), ops::max(values)}, 0), DType::float64);
  graph.name_tensor(name, extremes);
  if (!state.is_retrace) state.checks.push_back({name, low, high, message});
}

void require_classes(const Tensor& labels, int64_t classes, const std::string& message) {
  require_values(labels, 0, static_cast<double>(classes - 1), message);
}

void run_check(const ValueCheck& check, const Tensor& extremes) {
  // Every step calls this, so it copies nothing.
  const std::span<const double> values(extremes.data<double>(),
                                       static_cast<size_t>(extremes.size()));
  for (const double value : values) {
    if (value >= check.low && value <= check.high) continue;
    std::string message = check.message;
    message.replace(message.find("{}"), 2, format("{}", value));
    throw InvalidArgumentError(message);
  }
}

}  // namespace antler::estimator
