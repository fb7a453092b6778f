#pragma once

#include <map>
#include <string>

#include "antler/core/tensor.h"
#include "antler/estimator/mode_keys.h"
#include "estimator/scenario.h"

namespace antler::conformance::estimators {

/// The tensors of a model_fn by their names in the case.
class NamedTensors {
 public:
  void set(const std::string& name, Tensor tensor) { tensors_[name] = std::move(tensor); }
  /// Throws Unsupported for an unknown name.
  const Tensor& at(const std::string& name) const;
  /// The tensor of this name, or a number.
  Tensor operand(const Json& value) const;

 private:
  std::map<std::string, Tensor> tensors_;
};

struct GraphSettings {
  est::ModeKeys mode;
  bool updates_moving_averages = false;
};

/// Runs one operation of a `graph` and adds its result.
void run_graph_op(const Scenario& scenario, const Json& op, const GraphSettings& settings,
                  NamedTensors& tensors);

}  // namespace antler::conformance::estimators
