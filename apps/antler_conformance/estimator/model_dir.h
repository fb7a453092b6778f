#pragma once

#include <map>
#include <string>

#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// Compares a model_dir with what is expected after each call. A key that is missing there has not
/// changed since the last call that has it.
class ModelDirCheck {
 public:
  void compare(const std::string& where, const Scenario& scenario, const std::string& estimator,
               const Json& expected, Check& check);

 private:
  std::map<std::string, Json> latest_;  // by folder
};

}  // namespace antler::conformance::estimators
