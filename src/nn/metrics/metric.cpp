#include "antler/nn/metric.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/layer.h"
#include "antler/nn/registry.h"

namespace antler {

struct MetricState {
  struct Entry {
    Variable variable;
    Tensor initial;
  };
  std::string class_name;
  std::string name;
  std::string given_name;
  DType dtype;
  std::vector<Entry> variables;
  std::vector<MetricPtr> metrics;
};

Metric::Metric(std::string class_name, std::string name, DType dtype)
    : state_(std::make_shared<MetricState>(
          MetricState{std::move(class_name), name, std::move(name), dtype, {}, {}})) {}

Metric::Metric(const std::type_info& type, const std::string& name, DType dtype)
    : Metric(internal::class_name(type),
             name.empty() ? to_snake_case(internal::class_name(type)) : name, dtype) {}

const std::string& Metric::name() const { return state_->name; }

const std::string& Metric::given_name() const { return state_->given_name; }

void Metric::set_name(const std::string& name) {
  state_->given_name = name;
  set_log_name(name);
}

void Metric::set_log_name(const std::string& name) {
  state_->name = name;
  for (MetricState::Entry& entry : state_->variables) {
    entry.variable.set_path(name + "/" + entry.variable.name());
  }
}

const std::string& Metric::class_name() const { return state_->class_name; }

DType Metric::dtype() const { return state_->dtype; }

void Metric::reset_state() {
  for (const MetricState::Entry& entry : state_->variables) entry.variable.assign(entry.initial);
  for (const MetricPtr& metric : state_->metrics) metric->reset_state();
}

std::shared_ptr<Metric> Metric::fresh() const {
  throw NotImplementedError(
      "The metric '{}' is used for several outputs, and each of them needs its own variables. "
      "Use a separate object for each output, or override fresh() in {} to return a new one.",
      name(), class_name());
}

Variables Metric::variables() const {
  Variables variables;
  for (const MetricState::Entry& entry : state_->variables) variables.push_back(entry.variable);
  for (const MetricPtr& metric : state_->metrics) {
    for (const Variable& variable : metric->variables()) variables.push_back(variable);
  }
  return variables;
}

Json Metric::get_config() const {
  Json json = Json::object();
  json["name"] = given_name();
  json["dtype"] = dtype_name(dtype());
  return json;
}

Variable Metric::add_variable(const std::string& name, const Shape& shape, double initial,
                              DType dtype) {
  return keep_variable(name, Tensor::full(dtype, shape, initial));
}

Variable Metric::add_variable(const MetricVariableOptions& options) {
  const ir::TraceSuspension suspension;
  return keep_variable(options.name,
                       options.initializer(options.shape, options.dtype.value_or(dtype())));
}

void Metric::keep_metric(MetricPtr metric) { state_->metrics.push_back(std::move(metric)); }

Variable Metric::keep_variable(const std::string& name, const Tensor& initial) {
  Variable variable(initial, {.name = name,
                              .trainable = false,
                              .synchronization = VariableSynchronization::on_read,
                              .aggregation = VariableAggregation::sum});
  variable.set_path(state_->name + "/" + name);
  state_->variables.push_back({variable, initial});
  return variable;
}

}  // namespace antler
