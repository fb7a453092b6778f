#pragma once

#include <string>
#include <vector>

#include "cases.h"
#include "report.h"

namespace antler::bench {

/// "estimator_NAME" for each case that run_estimator() has; none without antler::estimator.
std::vector<std::string> estimator_case_names();
/// The case that "estimator_NAME" trains; null for other names.
const Case* find_estimator_case(const std::string& name);

/// Trains the case with a TPUEstimator (use_tpu = false, 100 iterations per loop, otherwise default
/// settings) and measures:
///   steps_per_s      of train(), without its start and its first steps
///   restart          seconds of train(steps = 1) on a folder that has a checkpoint
///   estimator_steps_per_s, fit_steps_per_s   of Estimator::train and of Model::fit with 100 steps
///                    per execution, alternating, on the same data set
///   overhead         median over the rounds of fit's rate / the estimator's rate - 1, in percent
/// Throws RuntimeError if the loss does not go down.
void run_estimator(const Case& c, Context& context);

}  // namespace antler::bench
