#include "antler/nn/optimizers/schedules.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/config_fields.h"

namespace antler::optimizers::schedules {

namespace {

using Function = std::function<Tensor(const Tensor& step)>;

/// A schedule defined by a function and a configuration.
class FunctionSchedule final : public LearningRateScheduleImpl {
 public:
  FunctionSchedule(std::string class_name, Json config, Function function)
      : class_name_(std::move(class_name)),
        config_(std::move(config)),
        function_(std::move(function)) {}
  Tensor call(const Tensor& step) const override {
    return function_(ops::cast(step, default_float()));
  }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override { return config_; }

 private:
  std::string class_name_;
  Json config_;
  Function function_;
};

LearningRateSchedule make(std::string class_name, Json config, Function function) {
  return LearningRateSchedule(std::make_shared<FunctionSchedule>(
      std::move(class_name), std::move(config), std::move(function)));
}

void check_positive(const char* schedule, const char* argument, const Steps& steps) {
  if (steps.value() > 0) return;
  throw ValueError("Argument `{}` must be > 0 for {}. Received: {}={}", argument, schedule,
                   argument, steps.value());
}

Json number(const Steps& steps) {
  return steps.whole() ? Json(static_cast<int64_t>(steps.value())) : Json(steps.value());
}

Tensor scalar(double value) { return Tensor::full(default_float(), {}, value); }

Tensor half_cosine(const Tensor& fraction) {
  return (ops::cos(fraction * std::numbers::pi) + 1.0) * 0.5;
}

/// Throws TypeError if the rate was not given.
double initial_rate(const char* schedule, std::optional<double> rate) {
  if (rate) return *rate;
  throw TypeError("{}: missing argument `initial_learning_rate`.", schedule);
}

}  // namespace

ExponentialDecay::ExponentialDecay(const ExponentialDecayArguments& a)
    : ExponentialDecay(initial_rate("ExponentialDecay", a.initial_learning_rate), a.decay_steps,
                       a.decay_rate, {.staircase = a.staircase, .name = a.name}) {}

ExponentialDecay::ExponentialDecay(double initial_learning_rate, Steps decay_steps,
                                   double decay_rate, const ExponentialDecayOptions& o)
    : LearningRateSchedule(make("ExponentialDecay",
                                {{"initial_learning_rate", initial_learning_rate},
                                 {"decay_steps", number(decay_steps)},
                                 {"decay_rate", decay_rate},
                                 {"staircase", o.staircase},
                                 {"name", o.name}},
                                [=, staircase = o.staircase](const Tensor& step) {
                                  const Tensor fraction = step / decay_steps.value();
                                  const Tensor power = staircase ? ops::floor(fraction) : fraction;
                                  return ops::power(scalar(decay_rate), power) *
                                         initial_learning_rate;
                                })) {
  check_positive("ExponentialDecay", "decay_steps", decay_steps);
}

InverseTimeDecay::InverseTimeDecay(const InverseTimeDecayArguments& a)
    : InverseTimeDecay(initial_rate("InverseTimeDecay", a.initial_learning_rate), a.decay_steps,
                       a.decay_rate, {.staircase = a.staircase, .name = a.name}) {}

InverseTimeDecay::InverseTimeDecay(double initial_learning_rate, Steps decay_steps,
                                   double decay_rate, const InverseTimeDecayOptions& o)
    : LearningRateSchedule(make("InverseTimeDecay",
                                {{"initial_learning_rate", initial_learning_rate},
                                 {"decay_steps", number(decay_steps)},
                                 {"decay_rate", decay_rate},
                                 {"staircase", o.staircase},
                                 {"name", o.name}},
                                [=, staircase = o.staircase](const Tensor& step) {
                                  const Tensor fraction = step / decay_steps.value();
                                  const Tensor time = staircase ? ops::floor(fraction) : fraction;
                                  return initial_learning_rate / (time * decay_rate + 1.0);
                                })) {
  check_positive("InverseTimeDecay", "decay_steps", decay_steps);
}

PiecewiseConstantDecay::PiecewiseConstantDecay(std::vector<double> boundaries,
                                               std::vector<double> values,
                                               const PiecewiseConstantDecayOptions& o)
    : LearningRateSchedule(make("PiecewiseConstantDecay",
                                {{"boundaries", boundaries}, {"values", values}, {"name", o.name}},
                                [=](const Tensor& step) {
                                  Tensor rate = ops::full_like(step, values.back());
                                  for (size_t i = boundaries.size(); i-- > 0;) {
                                    rate = ops::where(ops::less_equal(step, boundaries[i]),
                                                      values[i], rate);
                                  }
                                  return rate;
                                })) {
  if (values.size() != boundaries.size() + 1) {
    throw ValueError(
        "The length of `boundaries` should be 1 less than the length of `values`. Received: {} "
        "boundaries and {} values.",
        boundaries.size(), values.size());
  }
}

PolynomialDecay::PolynomialDecay(const PolynomialDecayArguments& a)
    : PolynomialDecay(initial_rate("PolynomialDecay", a.initial_learning_rate), a.decay_steps,
                      {.end_learning_rate = a.end_learning_rate,
                       .power = a.power,
                       .cycle = a.cycle,
                       .name = a.name}) {}

PolynomialDecay::PolynomialDecay(double initial_learning_rate, Steps decay_steps,
                                 const PolynomialDecayOptions& o)
    : LearningRateSchedule(
          make("PolynomialDecay",
               {{"initial_learning_rate", initial_learning_rate},
                {"decay_steps", number(decay_steps)},
                {"end_learning_rate", o.end_learning_rate},
                {"power", o.power},
                {"cycle", o.cycle},
                {"name", o.name}},
               [=](const Tensor& step) {
                 const auto steps = decay_steps.value();
                 // A cycle ends at the next multiple of decay_steps. At step 0 it ends at
                 // decay_steps, too.
                 const Tensor end =
                     o.cycle ? ops::maximum(ops::ceil(step / steps), 1.0) * steps : scalar(steps);
                 const Tensor fraction = (o.cycle ? step : ops::minimum(step, steps)) / end;
                 return ops::power(1.0 - fraction, o.power) *
                            (initial_learning_rate - o.end_learning_rate) +
                        o.end_learning_rate;
               })) {
  check_positive("PolynomialDecay", "decay_steps", decay_steps);
}

CosineDecay::CosineDecay(const CosineDecayArguments& a)
    : CosineDecay(initial_rate("CosineDecay", a.initial_learning_rate), a.decay_steps,
                  {.alpha = a.alpha,
                   .name = a.name,
                   .warmup_target = a.warmup_target,
                   .warmup_steps = a.warmup_steps}) {}

CosineDecay::CosineDecay(double initial_learning_rate, Steps decay_steps,
                         const CosineDecayOptions& o)
    : LearningRateSchedule(make(
          "CosineDecay",
          {{"initial_learning_rate", initial_learning_rate},
           {"decay_steps", number(decay_steps)},
           {"alpha", o.alpha},
           {"name", o.name},
           {"warmup_target", o.warmup_target ? Json(*o.warmup_target) : Json()},
           {"warmup_steps", number(o.warmup_steps)}},
          [=](const Tensor& step) {
            const auto steps = decay_steps.value();
            const auto decay = [&](const Tensor& s, double top) {
              return (half_cosine(ops::minimum(s, steps) / steps) * (1.0 - o.alpha) + o.alpha) *
                     top;
            };
            if (!o.warmup_target) return decay(step, initial_learning_rate);
            const auto warmup = o.warmup_steps.value();
            const Tensor line =
                step / std::max(warmup, 1.0) * (*o.warmup_target - initial_learning_rate) +
                initial_learning_rate;
            const Tensor later = ops::maximum(step - warmup, 0.0);
            return ops::where(ops::less(step, warmup), line, decay(later, *o.warmup_target));
          })) {
  check_positive("CosineDecay", "decay_steps", decay_steps);
}

CosineDecayRestarts::CosineDecayRestarts(const CosineDecayRestartsArguments& a)
    : CosineDecayRestarts(initial_rate("CosineDecayRestarts", a.initial_learning_rate),
                          a.first_decay_steps,
                          {.t_mul = a.t_mul, .m_mul = a.m_mul, .alpha = a.alpha, .name = a.name}) {}

CosineDecayRestarts::CosineDecayRestarts(double initial_learning_rate, Steps first_decay_steps,
                                         const CosineDecayRestartsOptions& o)
    : LearningRateSchedule(make("CosineDecayRestarts",
                                {{"initial_learning_rate", initial_learning_rate},
                                 {"first_decay_steps", number(first_decay_steps)},
                                 {"t_mul", o.t_mul},
                                 {"m_mul", o.m_mul},
                                 {"alpha", o.alpha},
                                 {"name", o.name}},
                                [=](const Tensor& step) {
                                  Tensor fraction = step / first_decay_steps.value();
                                  Tensor restarts;
                                  if (o.t_mul == 1.0) {
                                    restarts = ops::floor(fraction);
                                    fraction = fraction - restarts;
                                  } else {
                                    // The periods are 1, t, t^2, ...; the sum of the first i is (1
                                    // - t^i) / (1 - t).
                                    restarts =
                                        ops::floor(ops::log(1.0 - fraction * (1.0 - o.t_mul)) /
                                                   ops::log(scalar(o.t_mul)));
                                    const Tensor length = ops::power(scalar(o.t_mul), restarts);
                                    fraction =
                                        (fraction - (1.0 - length) / (1.0 - o.t_mul)) / length;
                                  }
                                  const Tensor top = ops::power(scalar(o.m_mul), restarts);
                                  return (top * half_cosine(fraction) * (1.0 - o.alpha) + o.alpha) *
                                         initial_learning_rate;
                                })) {
  check_positive("CosineDecayRestarts", "first_decay_steps", first_decay_steps);
}

LearningRateSchedule from_function(const std::string& name, Function function) {
  return make("LearningRateSchedule", {{"name", name}}, std::move(function));
}

}  // namespace antler::optimizers::schedules
