// Optimizers with given gradients, and learning-rate schedules.
#include <algorithm>

#include "antler/nn/constraint.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/optimizers/schedules.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "evaluate.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

/// Element t of the first axis.
Tensor at(const Tensor& x, int64_t t) {
  const Shape shape(x.shape().begin() + 1, x.shape().end());
  return ops::reshape(ops::slice_axis(x, 0, t, t + 1), shape);
}

bool has_gradient(const Json& json, size_t variable, int64_t step) {
  if (!json.contains("none_gradients")) return true;
  const auto found = json["none_gradients"].find(std::to_string(variable));
  if (found == json["none_gradients"].end()) return true;
  return std::find(found->begin(), found->end(), Json(step)) == found->end();
}

void run_schedule(const GoldenCase& golden, Check& check) {
  const LearningRateSchedule schedule = make_or_unsupported(
      [&] { return optimizers::schedules::deserialize(golden.json.at("schedule")); });
  const Tensor& steps = golden.array("steps");
  const Tensor& values = golden.expected("values");
  // A schedule is a scalar function, so it is called per step.
  for (int64_t k = 0; k < steps.size(); ++k) {
    check.arrays(format("values[{}]", k), schedule(at(steps, k)), at(values, k));
  }
}

void check_slots(const GoldenCase& golden, Check& check, const Optimizer& optimizer) {
  const Json& paths = golden.expectation().at("slot_paths");
  const Variables variables = optimizer.variables();
  Json got = Json::array();
  for (const Variable& v : variables) {
    // Without the names of its owners, because an optimizer may be inside another one.
    const std::string& path = v.path();
    got.push_back(path.substr(path.rfind('/') + 1));
  }
  check.equal("slot_paths", got, paths);
  for (size_t j = 0; j < variables.size(); ++j) {
    const std::string name = format("slot{}", j);
    if (golden.has(name)) check.array(name, variables[j].value());
  }
}

}  // namespace

void run_optimizer(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  if (json.contains("schedule")) return run_schedule(golden, check);
  const OptimizerPtr optimizer =
      make_or_unsupported([&] { return optimizers::deserialize(json.at("optimizer")); });
  const Json& names = json.at("variables");
  Variables variables;
  for (size_t j = 0; j < names.size(); ++j) {
    variables.emplace_back(golden.array(format("v{}", j)),
                           VariableOptions{.name = names[j].get<std::string>()});
  }
  if (json.contains("exclude_from_weight_decay")) {
    optimizer->exclude_from_weight_decay(
        {}, json["exclude_from_weight_decay"].get<std::vector<std::string>>());
  }
  if (json.contains("constraints")) {
    for (Variable& v : variables) {
      const auto found = json["constraints"].find(v.name());
      if (found == json["constraints"].end()) continue;
      const Constraint constraint =
          make_or_unsupported([&] { return constraints::deserialize(*found); });
      v.set_constraint([constraint](const Tensor& x) { return constraint(x); });
    }
  }
  optimizer->build(variables);
  const NestFunction apply = evaluated([&](const Nest& gradients) -> Nest {
    optimizer->apply(gradients.flatten(), variables);
    return {};
  });
  const auto steps = json.at("steps").get<int64_t>();
  for (int64_t t = 0; t < steps; ++t) {
    const std::string step = std::to_string(t);
    if (json.contains("set_learning_rate") && json["set_learning_rate"].contains(step)) {
      optimizer->set_learning_rate(number(json["set_learning_rate"][step]));
    }
    const auto check_step = [&](const std::string& name, const Tensor& got) {
      check.arrays(format("{}[{}]", name, step), got, at(golden.expected(name), t));
    };
    check_step("learning_rate_before_step", optimizer->learning_rate());
    Tensors gradients;
    for (size_t j = 0; j < variables.size(); ++j) {
      gradients.push_back(has_gradient(json, j, t) ? at(golden.array(format("g{}", j)), t)
                                                   : Tensor());
    }
    apply(gradients);
    for (size_t j = 0; j < variables.size(); ++j) {
      check_step(format("trajectory_v{}", j), variables[j].value());
    }
  }
  check_slots(golden, check, *optimizer);
  check.value("iterations", optimizer->update_count().item(),
              number(golden.expectation().at("iterations")));
  if (json.value("finalize", false)) {
    optimizer->finalize_variable_values(variables);
    for (size_t j = 0; j < variables.size(); ++j) {
      check.array(format("final_v{}", j), variables[j].value());
    }
  }
}

}  // namespace antler::conformance
