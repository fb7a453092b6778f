#pragma once

#include <map>
#include <memory>
#include <string>

#include "antler/estimator/train_and_evaluate.h"
#include "estimator/scenario.h"

/// Objects of the estimator API from JSON arguments with TensorFlow's names.
namespace antler::conformance::estimators {

est::RunConfigOptions run_config_options(const Scenario& scenario, const Json& args);
est::tpu::TPUConfigOptions tpu_config_options(const Json& args);
/// A RunConfig with `args`; their "tpu_config" has the arguments of TPUConfig.
est::tpu::RunConfig tpu_run_config(const Scenario& scenario, const Json& args);
est::WarmStart warm_start_of(Scenario& scenario, const Json& value);

/// The member "args", or no arguments.
const Json& arguments_of(const Json& object);

/// An estimator of the class `name` with `args`.
est::Estimator estimator_of(Scenario& scenario, const std::string& name, const Json& args,
                            const est::ModelFn& model_fn);

est::TrainSpec train_spec_of(Scenario& scenario, const Json& args);
est::EvalSpec eval_spec_of(Scenario& scenario, const Json& args);

/// `receiver` instead of args["receiver"].
est::ExporterPtr exporter_of(Scenario& scenario, const std::string& name, const Json& args,
                             const est::ServingInputReceiverFn& receiver);

/// The declared serving_input_receiver_fn of this name; none for null.
est::ServingInputReceiverFn receiver_fn(Scenario& scenario, const Json& name);
/// Destination -> path of a file with the text.
std::map<std::string, std::string> assets_of(Scenario& scenario, const Json& assets);

}  // namespace antler::conformance::estimators
