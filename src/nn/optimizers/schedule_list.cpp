#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/optimizers/schedules.h"
#include "antler/nn/registered_names.h"
#include "nn/object_registry.h"

namespace antler::optimizers::schedules {

namespace {

/// An argument without a default. Throws TypeError if it is missing.
template <class T>
T required(const Json& config, const char* name) {
  if (!config.contains(name)) {
    throw TypeError("Learning-rate schedule: missing required argument `{}`. Received: {}", name,
                    config.dump());
  }
  return config[name].get<T>();
}

template <class T>
T optional(const Json& config, const char* name, T default_value) {
  return config.contains(name) && !config[name].is_null() ? config[name].get<T>() : default_value;
}

Steps steps(const Json& config, const char* name) {
  if (config.contains(name) && config[name].is_number_integer()) return config[name].get<int64_t>();
  return required<double>(config, name);
}

/// Throws TypeError for unknown arguments.
void check_known(const std::string& name, const Json& given, const Json& known) {
  for (const auto& [key, value] : given.items()) {
    if (known.contains(key)) continue;
    throw TypeError("Unrecognized keyword arguments passed to {}: '{}'. Received: {}", name, key,
                    given.dump());
  }
}

LearningRateSchedule exponential(const Json& c) {
  return ExponentialDecay(required<double>(c, "initial_learning_rate"), steps(c, "decay_steps"),
                          required<double>(c, "decay_rate"),
                          {.staircase = optional(c, "staircase", false),
                           .name = optional<std::string>(c, "name", "ExponentialDecay")});
}

LearningRateSchedule inverse_time(const Json& c) {
  return InverseTimeDecay(required<double>(c, "initial_learning_rate"), steps(c, "decay_steps"),
                          required<double>(c, "decay_rate"),
                          {.staircase = optional(c, "staircase", false),
                           .name = optional<std::string>(c, "name", "InverseTimeDecay")});
}

LearningRateSchedule piecewise_constant(const Json& c) {
  return PiecewiseConstantDecay(required<std::vector<double>>(c, "boundaries"),
                                required<std::vector<double>>(c, "values"),
                                {.name = optional<std::string>(c, "name", "PiecewiseConstant")});
}

LearningRateSchedule polynomial(const Json& c) {
  return PolynomialDecay(required<double>(c, "initial_learning_rate"), steps(c, "decay_steps"),
                         {.end_learning_rate = optional(c, "end_learning_rate", 0.0001),
                          .power = optional(c, "power", 1.0),
                          .cycle = optional(c, "cycle", false),
                          .name = optional<std::string>(c, "name", "PolynomialDecay")});
}

LearningRateSchedule cosine(const Json& c) {
  CosineDecayOptions options{.alpha = optional(c, "alpha", 0.0),
                             .name = optional<std::string>(c, "name", "CosineDecay")};
  if (c.contains("warmup_steps") && !c["warmup_steps"].is_null()) {
    options.warmup_steps = steps(c, "warmup_steps");
  }
  if (c.contains("warmup_target") && !c["warmup_target"].is_null()) {
    options.warmup_target = c["warmup_target"].get<double>();
  }
  return CosineDecay(required<double>(c, "initial_learning_rate"), steps(c, "decay_steps"),
                     options);
}

LearningRateSchedule cosine_restarts(const Json& c) {
  return CosineDecayRestarts(required<double>(c, "initial_learning_rate"),
                             steps(c, "first_decay_steps"),
                             {.t_mul = optional(c, "t_mul", 2.0),
                              .m_mul = optional(c, "m_mul", 1.0),
                              .alpha = optional(c, "alpha", 0.0),
                              .name = optional<std::string>(c, "name", "SGDRDecay")});
}

/// A schedule from its configuration. Throws TypeError for unknown keys.
template <LearningRateSchedule (*make)(const Json& config)>
LearningRateSchedule checked(const Json& config) {
  LearningRateSchedule made = make(config);
  check_known(made.impl().class_name(), config, made.impl().get_config());
  return made;
}

const Registry<LearningRateSchedule>& registry() {
  static constexpr ObjectClass<LearningRateSchedule> kSchedules[] = {
      {"ExponentialDecay", checked<exponential>},
      {"InverseTimeDecay", checked<inverse_time>},
      {"PiecewiseConstantDecay", checked<piecewise_constant>},
      {"PolynomialDecay", checked<polynomial>},
      {"CosineDecay", checked<cosine>},
      {"CosineDecayRestarts", checked<cosine_restarts>},
  };
  static const Registry<LearningRateSchedule> instance({.singular = "learning-rate schedule",
                                                        .plural = "learning-rate schedules",
                                                        .module = "keras.optimizers.schedules"},
                                                       {kSchedules});
  return instance;
}

}  // namespace

std::vector<std::string> registered_schedules() { return registry().names(); }

Json serialize(const LearningRateSchedule& schedule) {
  return registry().serialize(schedule.impl().class_name(), schedule.impl().get_config());
}

LearningRateSchedule deserialize(const Json& json) { return registry().deserialize(json); }

}  // namespace antler::optimizers::schedules
