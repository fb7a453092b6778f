#include <cmath>
#include <numbers>

#include "antler/base/error.h"
#include "antler/estimator/train.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"

namespace antler::estimator::train {
namespace {

Tensor as_float(const Tensor& step) { return ops::cast(step, DType::float32); }

Tensor quotient(const Tensor& global_step, double decay_steps, DecayOptions options) {
  const Tensor p = as_float(global_step) / decay_steps;
  return options.staircase ? ops::floor(p) : p;
}

}  // namespace

Tensor exponential_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                         double decay_rate, DecayOptions options) {
  const Tensor base = Tensor::full(DType::float32, {}, decay_rate);
  return ops::power(base, quotient(global_step, decay_steps, options)) * learning_rate;
}

Tensor natural_exp_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                         double decay_rate, DecayOptions options) {
  return ops::exp(quotient(global_step, decay_steps, options) * -decay_rate) * learning_rate;
}

Tensor inverse_time_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                          double decay_rate, DecayOptions options) {
  return learning_rate / (quotient(global_step, decay_steps, options) * decay_rate + 1.0);
}

Tensor piecewise_constant(const Tensor& x, const std::vector<double>& boundaries,
                          const std::vector<double>& values) {
  if (values.size() != boundaries.size() + 1) {
    throw ValueError(
        "piecewise_constant: expected one more value than boundaries. Received: {} boundaries "
        "and {} values",
        boundaries.size(), values.size());
  }
  Tensor rate = Tensor::full(DType::float32, {}, values.back());
  for (size_t i = boundaries.size(); i-- > 0;) {
    const Tensor boundary = is_floating(x.dtype())
                                ? Tensor(boundaries[i])
                                : Tensor(static_cast<int64_t>(std::floor(boundaries[i])));
    rate = ops::where(ops::less_equal(x, ops::cast(boundary, x.dtype())), values[i], rate);
  }
  return rate;
}

Tensor polynomial_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                        const PolynomialDecayOptions& options) {
  const Tensor step = as_float(global_step);
  Tensor fraction;
  if (options.cycle) {
    const Tensor cycles = ops::maximum(ops::ceil(step / decay_steps), 1.0);
    fraction = step / (cycles * decay_steps);
  } else {
    fraction = ops::minimum(step, decay_steps) / decay_steps;
  }
  return ops::power(1.0 - fraction, options.power) * (learning_rate - options.end_learning_rate) +
         options.end_learning_rate;
}

Tensor cosine_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                    double alpha) {
  const Tensor fraction = ops::minimum(as_float(global_step), decay_steps) / decay_steps;
  const Tensor cosine = (ops::cos(fraction * std::numbers::pi) + 1.0) * 0.5;
  return (cosine * (1 - alpha) + alpha) * learning_rate;
}

}  // namespace antler::estimator::train
