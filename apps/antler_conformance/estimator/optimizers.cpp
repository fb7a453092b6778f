#include "antler/estimator/graph.h"
#include "antler/estimator/train.h"
#include "estimator/losses_metrics.h"

namespace antler::conformance::estimators {
namespace {

namespace train = est::train;

/// A number or a schedule on the global step.
Tensor rate_of(const Json& rate) {
  if (rate.is_number()) return Tensor(number(rate));
  const auto schedule = rate.at("schedule").get<std::string>();
  const Tensor step = est::get_global_step();
  if (schedule == "piecewise_constant") {
    return train::piecewise_constant(step, rate.at("boundaries").get<std::vector<double>>(),
                                     rate.at("values").get<std::vector<double>>());
  }
  const double initial = number(rate.at("learning_rate"));
  const double steps = number(rate.at("decay_steps"));
  if (schedule == "polynomial_decay") {
    train::PolynomialDecayOptions options;
    read_member(rate, "end_learning_rate", options.end_learning_rate);
    read_member(rate, "power", options.power);
    read_member(rate, "cycle", options.cycle);
    return train::polynomial_decay(initial, step, steps, options);
  }
  if (schedule == "cosine_decay") {
    double alpha = 0;
    read_member(rate, "alpha", alpha);
    return train::cosine_decay(initial, step, steps, alpha);
  }
  train::DecayOptions options;
  read_member(rate, "staircase", options.staircase);
  const double decay_rate = number(rate.at("decay_rate"));
  if (schedule == "exponential_decay") {
    return train::exponential_decay(initial, step, steps, decay_rate, options);
  }
  if (schedule == "natural_exp_decay") {
    return train::natural_exp_decay(initial, step, steps, decay_rate, options);
  }
  if (schedule == "inverse_time_decay") {
    return train::inverse_time_decay(initial, step, steps, decay_rate, options);
  }
  throw Unsupported{"the schedule '" + schedule + "'"};
}

train::OptimizerPtr adaptive_optimizer(const std::string& name, const Tensor& rate,
                                       const Json& args) {
  if (name == "AdamOptimizer") {
    train::AdamOptions options;
    read_member(args, "beta1", options.beta1);
    read_member(args, "beta2", options.beta2);
    read_member(args, "epsilon", options.epsilon);
    return train::AdamOptimizer(rate, options);
  }
  if (name == "AdagradOptimizer") {
    train::AdagradOptions options;
    read_member(args, "initial_accumulator_value", options.initial_accumulator_value);
    return train::AdagradOptimizer(rate, options);
  }
  if (name == "RMSPropOptimizer") {
    train::RMSPropOptions options;
    read_member(args, "decay", options.decay);
    read_member(args, "momentum", options.momentum);
    read_member(args, "epsilon", options.epsilon);
    read_member(args, "centered", options.centered);
    return train::RMSPropOptimizer(rate, options);
  }
  if (name == "AdadeltaOptimizer") {
    train::AdadeltaOptions options;
    read_member(args, "rho", options.rho);
    read_member(args, "epsilon", options.epsilon);
    return train::AdadeltaOptimizer(rate, options);
  }
  throw Unsupported{"the optimizer '" + name + "'"};
}

train::OptimizerPtr optimizer_of(const std::string& name, const Tensor& rate, const Json& args) {
  if (name == "GradientDescentOptimizer") return train::GradientDescentOptimizer(rate);
  if (name == "MomentumOptimizer") {
    train::MomentumOptions options;
    read_member(args, "use_nesterov", options.use_nesterov);
    return train::MomentumOptimizer(rate, number(args.at("momentum")), options);
  }
  if (name == "FtrlOptimizer") {
    train::FtrlOptions options;
    read_member(args, "learning_rate_power", options.learning_rate_power);
    read_member(args, "initial_accumulator_value", options.initial_accumulator_value);
    read_member(args, "l1_regularization_strength", options.l1_regularization_strength);
    read_member(args, "l2_regularization_strength", options.l2_regularization_strength);
    read_member(args, "l2_shrinkage_regularization_strength",
                options.l2_shrinkage_regularization_strength);
    read_member(args, "beta", options.beta);
    return train::FtrlOptimizer(rate, options);
  }
  if (name == "ProximalGradientDescentOptimizer") {
    train::ProximalOptions options;
    read_member(args, "l1_regularization_strength", options.l1_regularization_strength);
    read_member(args, "l2_regularization_strength", options.l2_regularization_strength);
    return train::ProximalGradientDescentOptimizer(rate, options);
  }
  if (name == "ProximalAdagradOptimizer") {
    train::ProximalAdagradOptions options;
    read_member(args, "initial_accumulator_value", options.initial_accumulator_value);
    read_member(args, "l1_regularization_strength", options.l1_regularization_strength);
    read_member(args, "l2_regularization_strength", options.l2_regularization_strength);
    return train::ProximalAdagradOptimizer(rate, options);
  }
  return adaptive_optimizer(name, rate, args);
}

}  // namespace

est::TrainOp train_op_of(const Json& optimizer, const Tensor& loss) {
  static const Json none = Json::object();
  const Json& args = optimizer.contains("args") ? optimizer["args"] : none;
  train::OptimizerPtr made = optimizer_of(optimizer.at("class").get<std::string>(),
                                          rate_of(optimizer.at("learning_rate")), args);
  if (member(optimizer, "cross_shard") == true) made = est::tpu::CrossShardOptimizer(made);
  train::MinimizeOptions options;
  if (member(optimizer, "no_global_step") != true) options.global_step = est::get_global_step();
  if (const Json& names = member(optimizer, "var_list"); !names.is_null()) {
    options.var_list.emplace();
    for (const Json& name : names) {
      const Variable variable = est::Graph::current().find(name.get<std::string>());
      if (!variable.defined()) throw ValueError("There is no variable {}.", name.dump());
      options.var_list->push_back(variable);
    }
  }
  return made->minimize(loss, options);
}

}  // namespace antler::conformance::estimators
