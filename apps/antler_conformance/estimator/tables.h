#pragma once

#include <functional>
#include <string>

#include "check.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// The values of a row; compared exactly.
Json tf_config_row(Scenario& scenario, const Json& row);
Json wrong_use_row(Scenario& scenario, const Json& row);
Json batch_sizes_row(const Json& row);
Json iterations_row(const Json& row);
Json iteration_estimator_row(const Json& row);
Json timer_row(const Json& row);
Json tasks_row(Scenario& scenario, const Json& row);

/// Sets the environment variable TF_CONFIG during its lifetime; null unsets it.
class TFConfigVariable {
 public:
  explicit TFConfigVariable(const Json& value);
  TFConfigVariable(const TFConfigVariable&) = delete;
  TFConfigVariable& operator=(const TFConfigVariable&) = delete;
  ~TFConfigVariable();
};

/// A property by TensorFlow's name; "tpu_config.iterations_per_loop" is a property of a member.
Json config_property(const Scenario& scenario, const est::RunConfig& config,
                     const std::string& name);
Json tpu_config_property(const est::tpu::TPUConfig& config, const std::string& name);

}  // namespace antler::conformance::estimators
