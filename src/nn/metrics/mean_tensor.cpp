#include "antler/nn/metrics/mean_tensor.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/support.h"
#include "nn/metrics/families.h"
#include "nn/metrics/samplewise.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

template <class V>
void fields(V& v, MeanTensorOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v("shape", o.shape);
}

MeanTensor::MeanTensor(const MeanTensorOptions& o)
    : MetricOf(o, "MeanTensor", name_or(o.name, "mean_tensor"), o.dtype, config::write(o), ""),
      sums_(std::make_shared<Sums>()) {
  if (o.shape) create(*o.shape);
}

void MeanTensor::create(const Shape& shape) {
  *sums_ = {add_variable("total", shape, 0.0, dtype()), add_variable("count", shape, 0.0, dtype())};
}

void MeanTensor::update_state(const Tensor& values, const Tensor& sample_weight) {
  const Tensor value = cast_to(values, dtype());
  if (!sums_->total.defined()) create(value.shape());
  if (!(sums_->total.shape() == value.shape())) {
    throw ValueError(
        "MeanTensor input values must always have the same shape. Expected shape: {}. Received: "
        "{}.",
        sums_->total.shape(), value.shape());
  }
  Tensor weight = Tensor::full(dtype(), {}, 1.0);
  if (sample_weight.defined()) {
    weight = losses::same_rank(value, cast_to(sample_weight, dtype())).y_pred;
    while (weight.rank() > 0 && weight.rank() < value.rank()) {
      weight = ops::expand_dims(weight, -1);
    }
  }
  sums_->total.assign(sums_->total.value() + value * weight);
  sums_->count.assign(sums_->count.value() + ops::broadcast_to(weight, value.shape()));
}

void MeanTensor::update_state(const Tensor& values, const Tensor&, const Tensor& sample_weight) {
  update_state(values, sample_weight);
}

Nest MeanTensor::result() const {
  if (!sums_->total.defined()) {
    throw ValueError(
        "MeanTensor does not have any value yet. Please call the MeanTensor instance or use "
        "`.update_state(value)` before retrieving the result.");
  }
  return ops::divide_no_nan(sums_->total.value(), sums_->count.value());
}

MeanRelativeError::MeanRelativeError(const Tensor& normalizer, MeanRelativeErrorOptions options)
    : MeanRelativeError(by_position<&MeanRelativeErrorOptions::normalizer>(
          "MeanRelativeError", std::move(options), normalizer)) {}

MeanRelativeError::MeanRelativeError(const MeanRelativeErrorOptions& o)
    : MetricOf(o, "MeanRelativeError", unique_name_or(o.name, "MeanRelativeError"), o.dtype,
               Json{{"normalizer",
                     o.normalizer.defined() ? Json(o.normalizer.to_doubles()) : Json(nullptr)}},
               "down"),
      total_(add_variable("total", {}, 0.0, o.dtype)),
      count_(add_variable("count", {}, 0.0, o.dtype)) {
  if (!o.normalizer.defined()) {
    throw TypeError("MeanRelativeError: missing required argument `normalizer`.");
  }
}

void MeanRelativeError::update_state(const Tensor& y_true, const Tensor& y_pred,
                                     const Tensor& sample_weight) {
  const losses::Targets t = losses::prepare(y_true, y_pred);
  const Tensor error = ops::absolute(t.y_true - t.y_pred);
  const Tensor normalizer = cast_to(options().normalizer, error.dtype());
  const Samplewise s = reduce_to_samplewise(ops::divide_no_nan(error, normalizer), sample_weight,
                                            Combine::mean, dtype());
  const Tensor count = s.sample_weight.defined()
                           ? ops::sum(s.sample_weight)
                           : Tensor::full(dtype(), {}, static_cast<double>(s.values.size()));
  total_.assign(total_.value() + ops::sum(s.values));
  count_.assign(count_.value() + count);
}

Nest MeanRelativeError::result() const {
  return ops::divide_no_nan(total_.value(), count_.value());
}

namespace {

MetricPtr mean_relative_error_from_config(const Json& config) {
  MeanRelativeErrorOptions options;
  if (config.contains("name") && config["name"].is_string()) {
    options.name = config["name"].get<std::string>();
  }
  const auto found = config.find("normalizer");
  if (found != config.end() && found->is_number()) {
    options.normalizer = Tensor::full(DType::float32, {}, found->get<double>());
  } else if (found != config.end() && found->is_array()) {
    options.normalizer = Tensor::of(found->get<std::vector<float>>());
  }
  return std::make_shared<MeanRelativeError>(options);
}

}  // namespace

Metrics::Family tensor_metrics() {
  static const MetricClass classes[] = {
      metric_class<MeanTensor, MeanTensorOptions>({}),
      {{"MeanRelativeError", mean_relative_error_from_config}},
  };
  return classes;
}

}  // namespace antler::metrics
