// A table of what each task of a cluster does in train_and_evaluate.
#include "antler/estimator/train_and_evaluate.h"
#include "estimator/objects.h"
#include "estimator/tables.h"

namespace antler::conformance::estimators {

Json tasks_row(Scenario& scenario, const Json& row) {
  using Part = est::TaskPlan::Part;
  const Json& config = member(row, "config");
  const est::TaskPlan plan = est::plan_task(est::RunConfig(
      config.is_null() ? est::RunConfigOptions() : run_config_options(scenario, config)));
  const std::pair<Part, const char*> kParts[] = {
      {Part::local, "run_local"},   {Part::chief, "run_chief"}, {Part::worker, "run_worker"},
      {Part::master, "run_master"}, {Part::ps, "run_ps"},       {Part::evaluator, "run_evaluator"}};
  Json does = Json::array();
  for (const auto& [part, name] : kParts) {
    if (plan.part == part) does.push_back(Json::array({name}));
  }
  // The table describes only these two.
  if (plan.part == Part::chief || plan.part == Part::worker) {
    if (plan.starts_server) does.push_back(Json::array({"start_server"}));
    if (plan.part == Part::worker) does.push_back(Json::array({"sleep", plan.start_delay_secs}));
    does.push_back(Json::array({"train", 10}));
  }
  return {{"does", does}};
}

}  // namespace antler::conformance::estimators
