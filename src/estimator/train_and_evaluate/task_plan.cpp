#include <algorithm>
#include <array>
#include <utility>

#include "antler/base/error.h"
#include "antler/estimator/train_and_evaluate.h"
#include "base/strings.h"

namespace antler::estimator {
namespace {

using Part = TaskPlan::Part;
constexpr double kMostDelaySecs = 60;
constexpr double kDelaySecsPerWorker = 5;
constexpr std::array kParts = {std::pair("chief", Part::chief),
                               std::pair("evaluator", Part::evaluator),
                               std::pair("master", Part::master), std::pair("ps", Part::ps),
                               std::pair("worker", Part::worker)};

Part part_of(const std::string& task_type) {
  if (task_type == "local") {
    throw ValueError(
        "`task.type` in TF_CONFIG cannot be `local`. Leaving `cluster` and `task` properties in "
        "TF_CONFIG absent triggers train and evaluate `Estimator` locally (non-distributed).");
  }
  const auto found = std::ranges::find(kParts, task_type,
                                       [](const auto& part) { return std::string(part.first); });
  if (found != kParts.end()) return found->second;
  throw ValueError("Task type {} is not supported. Supported task types are [{}]", task_type,
                   join(kParts, ", ", [](const auto& part) { return part.first; }));
}

}  // namespace

TaskPlan plan_task(const RunConfig& config) {
  const std::string& type = config.task_type();
  if (type == "evaluator" && config.task_id() > 0) {
    throw ValueError(
        "For distributed training, there can only be one `evaluator` task (with task id 0). Given "
        "task id {}",
        config.task_id());
  }
  if (config.cluster_spec().empty() && type != "evaluator") return {};
  TaskPlan plan{.part = part_of(type)};
  plan.starts_server =
      plan.part == Part::chief || plan.part == Part::master || plan.part == Part::worker;
  if (plan.part == Part::worker) {
    const double most = config.experimental_max_worker_delay_secs().value_or(kMostDelaySecs);
    plan.start_delay_secs =
        std::min(most, static_cast<double>(config.task_id() + 1) * kDelaySecsPerWorker);
  }
  return plan;
}

}  // namespace antler::estimator
