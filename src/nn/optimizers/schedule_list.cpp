#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/optimizers/schedules.h"
#include "nn/config_fields.h"

namespace antler::optimizers::schedules {

namespace {

/// Arguments without a default must be in a configuration.
template <class T>
T required(const Json& config, const char* name) {
  if (!config.contains(name)) {
    throw TypeError("Learning-rate schedule: missing required argument `" + std::string(name) +
                    "`. Received: " + config.dump());
  }
  return config[name].get<T>();
}

template <class T>
T optional(const Json& config, const char* name, T default_value) {
  return config.contains(name) && !config[name].is_null() ? config[name].get<T>() : default_value;
}

/// Throws TypeError for an argument that the class does not have.
void check_known(const std::string& name, const Json& given, const Json& known) {
  for (const auto& [key, value] : given.items()) {
    if (known.contains(key)) continue;
    throw TypeError("Unrecognized keyword arguments passed to " + name + ": '" + key +
                    "'. Received: " + given.dump());
  }
}

LearningRateSchedule exponential(const Json& c) {
  return ExponentialDecay(required<double>(c, "initial_learning_rate"),
                          required<int64_t>(c, "decay_steps"), required<double>(c, "decay_rate"),
                          {.staircase = optional(c, "staircase", false),
                           .name = optional<std::string>(c, "name", "ExponentialDecay")});
}

LearningRateSchedule inverse_time(const Json& c) {
  return InverseTimeDecay(required<double>(c, "initial_learning_rate"),
                          required<int64_t>(c, "decay_steps"), required<double>(c, "decay_rate"),
                          {.staircase = optional(c, "staircase", false),
                           .name = optional<std::string>(c, "name", "InverseTimeDecay")});
}

LearningRateSchedule piecewise_constant(const Json& c) {
  return PiecewiseConstantDecay(required<std::vector<double>>(c, "boundaries"),
                                required<std::vector<double>>(c, "values"),
                                {.name = optional<std::string>(c, "name", "PiecewiseConstant")});
}

LearningRateSchedule polynomial(const Json& c) {
  return PolynomialDecay(required<double>(c, "initial_learning_rate"),
                         required<int64_t>(c, "decay_steps"),
                         {.end_learning_rate = optional(c, "end_learning_rate", 0.0001),
                          .power = optional(c, "power", 1.0),
                          .cycle = optional(c, "cycle", false),
                          .name = optional<std::string>(c, "name", "PolynomialDecay")});
}

LearningRateSchedule cosine(const Json& c) {
  CosineDecayOptions options{.alpha = optional(c, "alpha", 0.0),
                             .name = optional<std::string>(c, "name", "CosineDecay"),
                             .warmup_steps = optional<int64_t>(c, "warmup_steps", 0)};
  if (c.contains("warmup_target") && !c["warmup_target"].is_null()) {
    options.warmup_target = c["warmup_target"].get<double>();
  }
  return CosineDecay(required<double>(c, "initial_learning_rate"),
                     required<int64_t>(c, "decay_steps"), options);
}

LearningRateSchedule cosine_restarts(const Json& c) {
  return CosineDecayRestarts(required<double>(c, "initial_learning_rate"),
                             required<int64_t>(c, "first_decay_steps"),
                             {.t_mul = optional(c, "t_mul", 2.0),
                              .m_mul = optional(c, "m_mul", 1.0),
                              .alpha = optional(c, "alpha", 0.0),
                              .name = optional<std::string>(c, "name", "SGDRDecay")});
}

struct Entry {
  std::string_view class_name;
  LearningRateSchedule (*make)(const Json& config);
};

/// Every schedule of the library.
constexpr Entry kSchedules[] = {
    {"ExponentialDecay", exponential},
    {"InverseTimeDecay", inverse_time},
    {"PiecewiseConstantDecay", piecewise_constant},
    {"PolynomialDecay", polynomial},
    {"CosineDecay", cosine},
    {"CosineDecayRestarts", cosine_restarts},
};

}  // namespace

Json serialize(const LearningRateSchedule& schedule) {
  return keras_object("keras.optimizers.schedules", schedule.impl().class_name(),
                      schedule.impl().get_config());
}

LearningRateSchedule deserialize(const Json& json) {
  const std::string name = config::class_name_of(json, "learning-rate schedule");
  std::string known;
  for (const Entry& entry : kSchedules) {
    if (entry.class_name == name) {
      try {
        const Json config = config::config_of(json);
        LearningRateSchedule made = entry.make(config);
        check_known(name, config, made.impl().get_config());
        return made;
      } catch (const Json::exception&) {
        throw ValueError(name +
                         ": an argument has a value of the wrong kind. Received: " + json.dump());
      }
    }
    known += (known.empty() ? "'" : ", '") + std::string(entry.class_name) + "'";
  }
  throw ValueError("Unknown learning-rate schedule: '" + name + "'. Known schedules: " + known +
                   ".");
}

}  // namespace antler::optimizers::schedules
