#include "antler/nn/metrics/reduction.h"

#include <utility>

#include "antler/nn/losses.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/families.h"
#include "nn/losses/support.h"
#include "nn/metrics/definition.h"
#include "nn/metrics/families.h"
#include "nn/metrics/samplewise.h"

namespace antler::metrics {

Mean::Mean(const MetricOptions& options)
    : Mean("Mean", name_or(options.name, "mean"), options.dtype) {}

Mean::Mean(std::string class_name, const std::string& name, DType dtype)
    : Metric(std::move(class_name), name, dtype),
      total_(add_variable("total", {}, 0.0, dtype)),
      count_(add_variable("count", {}, 0.0, dtype)) {}

void Mean::update_state(const Tensor& values, const Tensor& sample_weight) {
  const Samplewise s = reduce_to_samplewise(values, sample_weight, Combine::mean, dtype());
  const Tensor count = s.sample_weight.defined() ? ops::sum(s.sample_weight)
                       : s.values.rank() == 0
                           ? Tensor::full(dtype(), {}, 1.0)
                           : Tensor::full(dtype(), {}, static_cast<double>(s.values.dim(0)));
  total_.assign(total_.value() + ops::sum(s.values));
  count_.assign(count_.value() + count);
}

void Mean::update_state(const Tensor& values, const Tensor&, const Tensor& sample_weight) {
  update_state(values, sample_weight);
}

Tensor Mean::mean() const { return ops::divide_no_nan(total_.value(), count_.value()); }

Nest Mean::result() const { return mean(); }

std::shared_ptr<Metric> Mean::share() const { return std::make_shared<Mean>(*this); }

std::shared_ptr<Metric> Mean::fresh() const {
  return std::make_shared<Mean>(MetricOptions{.name = name(), .dtype = dtype()});
}

Sum::Sum(const MetricOptions& options)
    : Metric("Sum", name_or(options.name, "sum"), options.dtype),
      total_(add_variable("total", {}, 0.0, options.dtype)) {}

void Sum::update_state(const Tensor& values, const Tensor& sample_weight) {
  const Samplewise s = reduce_to_samplewise(values, sample_weight, Combine::sum, dtype());
  total_.assign(total_.value() + ops::sum(s.values));
}

void Sum::update_state(const Tensor& values, const Tensor&, const Tensor& sample_weight) {
  update_state(values, sample_weight);
}

Nest Sum::result() const { return total_.value(); }

std::shared_ptr<Metric> Sum::share() const { return std::make_shared<Sum>(*this); }

std::shared_ptr<Metric> Sum::fresh() const {
  return std::make_shared<Sum>(MetricOptions{.name = name(), .dtype = dtype()});
}

MeanMetricWrapper::MeanMetricWrapper(Function function, const MetricOptions& options)
    : MeanMetricWrapper(Definition{.class_name = "MeanMetricWrapper",
                                   .name = name_or(options.name, "mean_metric_wrapper"),
                                   .dtype = options.dtype,
                                   .function = std::move(function)}) {}

MeanMetricWrapper::MeanMetricWrapper(Definition definition)
    : Mean(definition.class_name, definition.name, definition.dtype),
      definition_(std::make_shared<const Definition>(std::move(definition))) {}

void MeanMetricWrapper::update_state(const Tensor& y_true, const Tensor& y_pred,
                                     const Tensor& sample_weight) {
  Tensor weight = losses::apply_mask(sample_weight, keras_mask(y_pred), dtype(), false);
  // As in Keras: without weights, the values that the function masks count as 0.
  if (weight.defined() && definition_->mask) {
    weight = losses::apply_mask(weight, definition_->mask(y_true, y_pred), dtype(), false);
  }
  Mean::update_state(definition_->function(y_true, y_pred), weight);
}

Json MeanMetricWrapper::get_config() const {
  Json json = Metric::get_config();
  for (const auto& [key, value] : definition_->config.items()) {
    if (key != "name" && key != "dtype") json[key] = value;
  }
  return json;
}

std::shared_ptr<Metric> MeanMetricWrapper::share() const {
  return std::make_shared<MeanMetricWrapper>(*this);
}

std::shared_ptr<Metric> MeanMetricWrapper::fresh() const {
  Definition definition = *definition_;
  definition.name = name();
  // make_shared cannot reach the protected constructor.
  return std::shared_ptr<Metric>(new MeanMetricWrapper(std::move(definition)));
}

std::string MeanMetricWrapper::direction() const { return definition_->direction; }

const Function& MeanMetricWrapper::function() const { return definition_->function; }

MetricPtr from_function(const std::string& name, Function function) {
  // A function of the library has a known name even if none was given.
  if (const std::string known = function_name(function);
      name == losses::kUnnamed && !known.empty()) {
    return get(known);
  }
  return std::make_shared<MeanMetricWrapper>(std::move(function), MetricOptions{.name = name});
}

namespace {

/// A wrapper that keeps and writes the configuration that it was made from.
struct NamedWrapper : MeanMetricWrapper {
  static MetricPtr make(const MetricOptions& options, const Json& config, Function function) {
    return std::make_shared<MeanMetricWrapper>(NamedWrapper(options, config, std::move(function)));
  }

 private:
  NamedWrapper(const MetricOptions& options, const Json& config, Function function)
      : MeanMetricWrapper(Definition{.class_name = "MeanMetricWrapper",
                                     .name = name_or(options.name, "mean_metric_wrapper"),
                                     .dtype = options.dtype,
                                     .function = std::move(function),
                                     .config = config}) {}
};

/// Only functions with a name in Keras can be read back.
MetricPtr wrapper_from_config(const Json& config) {
  const Json& fn = config.contains("fn") ? config["fn"] : Json();
  const Json& name = fn.is_object() && fn.contains("config") ? fn["config"] : fn;
  if (!name.is_string()) {
    throw ValueError("MeanMetricWrapper: `fn` must name a function of Keras. Received: {}",
                     fn.dump());
  }
  const MetricPtr named = get(name.get<std::string>());
  const auto* wrapper = dynamic_cast<const MeanMetricWrapper*>(named.get());
  if (wrapper == nullptr) {
    throw ValueError("MeanMetricWrapper: '{}' is not a function.", name.get<std::string>());
  }
  Json arguments = config;
  Json own = Json::object();
  for (const char* key : {"name", "dtype"}) {
    if (config.contains(key)) own[key] = config[key];
  }
  for (const char* key : {"fn", "name", "dtype"}) arguments.erase(key);
  const auto options = config::read<MetricOptions>(own);
  if (arguments.empty()) return NamedWrapper::make(options, config, wrapper->function());
  // The arguments belong to the loss class of the function.
  const std::string loss_class =
      losses::serialize(losses::get(name.get<std::string>())).at("class_name");
  const Loss loss = losses::deserialize({{"class_name", loss_class}, {"config", arguments}});
  return NamedWrapper::make(options, config, [loss](const Tensor& y_true, const Tensor& y_pred) {
    return loss.call(y_true, y_pred);
  });
}

}  // namespace

Metrics::Family reduction_metrics() {
  static const MetricClass classes[] = {
      metric_class<Mean, MetricOptions>({}),
      metric_class<Sum, MetricOptions>({}),
      {{"MeanMetricWrapper", wrapper_from_config}},
  };
  return classes;
}

}  // namespace antler::metrics
