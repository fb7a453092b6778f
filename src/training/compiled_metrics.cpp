#include "training/compiled_metrics.h"

#include <algorithm>
#include <set>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/mask.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "training/structure.h"

namespace antler::training {
namespace {

using Specs = std::vector<MetricSpec>;

Specs as_list(const MetricSpec& spec) {
  Specs list;
  if (spec.kind() == MetricSpec::Kind::single) list.push_back(spec);
  if (spec.kind() == MetricSpec::Kind::list) {
    for (const auto& [name, item] : spec.items()) list.push_back(item);
  }
  return list;
}

bool names_a_metric(const MetricSpec& spec) {
  if (spec.is_resolved_by_shape()) return true;
  try {
    return spec.resolve() != nullptr;
  } catch (const ValueError&) {
    return false;
  }
}

/// Whether `spec` is {"name", metrics} and cannot be a list of metrics.
bool is_named_entry(const MetricSpec& spec) {
  if (spec.kind() != MetricSpec::Kind::list || spec.items().size() != 2) return false;
  const MetricSpec& key = spec.items()[0].second;
  return key.kind() == MetricSpec::Kind::single && key.metric() == nullptr && !names_a_metric(key);
}

/// The specs of each output: a flat list applies to every output, a nested one by position, a
/// dictionary by name. Those of a single output may have any names, as in Keras 3.
std::vector<Specs> by_output(const MetricSpec& given, const std::vector<std::string>& names) {
  std::vector<Specs> result(names.size());
  const MetricSpec spec = dictionary_in_braces(given, names);
  if (spec.kind() == MetricSpec::Kind::dict) {
    for (const auto& [name, item] : spec.items()) {
      Specs& specs = result[names.size() == 1 ? 0 : output_index(name, names, "metrics")];
      const Specs more = as_list(item);
      specs.insert(specs.end(), more.begin(), more.end());
    }
    return result;
  }
  const Specs flat = as_list(spec);
  const bool nested = std::any_of(flat.begin(), flat.end(), [](const MetricSpec& s) {
    return s.kind() == MetricSpec::Kind::list;
  });
  if (!nested) {
    for (Specs& specs : result) specs = flat;
    return result;
  }
  if (flat.size() != names.size()) {
    throw ValueError("`metrics` has {} entries, but the model has {} outputs: [{}].", flat.size(),
                     names.size(), quoted(names));
  }
  for (size_t i = 0; i < flat.size(); ++i) result[i] = as_list(flat[i]);
  return result;
}

/// Weights times mask [batch, time]; weights of lower rank apply to every step.
Tensor masked(const Tensor& weight, const Tensor& mask) {
  if (!weight.defined()) return mask;
  if (!mask.defined()) return weight;
  Tensor fitted = weight;
  while (fitted.rank() < mask.rank()) fitted = ops::expand_dims(fitted, -1);
  Tensor spread = mask;
  while (spread.rank() < fitted.rank()) spread = ops::expand_dims(spread, -1);
  return ops::multiply(fitted, ops::cast(spread, fitted.dtype()));
}

void collect_objects(const MetricSpec& spec, std::vector<const Metric*>& found) {
  if (spec.metric() != nullptr) found.push_back(spec.metric().get());
  for (const auto& [name, item] : spec.items()) collect_objects(item, found);
}

/// Removes the counter of an automatic name: "auc_3" becomes "auc".
std::string without_counter(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end + 1 < name.size() && end > 0 && name[end] == '_' ? name.substr(0, end) : name;
}

}  // namespace

MetricSpec dictionary_in_braces(const MetricSpec& spec, const std::vector<std::string>& names) {
  if (spec.kind() != MetricSpec::Kind::list || spec.items().empty()) return spec;
  MetricSpec::Items items;
  bool names_an_output = false;
  for (const auto& [unnamed, item] : spec.items()) {
    if (!is_named_entry(item)) return spec;
    const std::string& name = item.items()[0].second.name();
    names_an_output |= std::find(names.begin(), names.end(), name) != names.end();
    items.emplace_back(name, item.items()[1].second);
  }
  return names_an_output ? MetricSpec::dict(std::move(items)) : spec;
}

std::vector<const Metric*> CompiledMetrics::given() const {
  std::vector<const Metric*> objects;
  collect_objects(unweighted_, objects);
  collect_objects(weighted_, objects);
  return objects;
}

void CompiledMetrics::check_unique() const {
  std::set<std::vector<uint64_t>> seen;
  for (const Metric* metric : given()) {
    std::vector<uint64_t> ids;  // copies of a metric have the same variables
    for (const Variable& v : metric->variables()) ids.push_back(v.id());
    if (!ids.empty() && !seen.insert(ids).second) {
      throw ValueError(
          "The metric object '{}' was given more than once in `metrics` and `weighted_metrics`. "
          "Use a separate object for each.",
          metric->name());
    }
  }
}

void CompiledMetrics::build(const std::vector<std::string>& output_names, const Tensors& y_true,
                            const Tensors& y_pred) {
  const bool several = output_names.size() > 1;
  const auto plain = by_output(unweighted_, output_names);
  const auto weighted = by_output(weighted_, output_names);
  std::vector<Output> outputs;
  std::vector<std::pair<MetricPtr, std::string>> named;
  std::set<std::string> names;
  std::set<const Metric*> used;
  for (size_t i = 0; i < output_names.size(); ++i) {
    Output& output = outputs.emplace_back();
    const auto add = [&](const MetricSpec& spec, bool is_weighted) {
      if (!spec.given()) return;
      MetricPtr metric =
          y_true[i].defined() ? spec.resolve(y_true[i].shape(), y_pred[i].shape()) : spec.resolve();
      // A list for all outputs: the second output needs a state of its own.
      if (spec.metric() != nullptr && !used.insert(metric.get()).second) metric = metric->fresh();
      // Function names are kept as typed; a class name stands for the class's default name.
      const bool typed = !spec.name().empty() && spec.name() != metric->class_name();
      const std::string prefix = several ? output_names[i] + "_" : "";
      const Metric& given = spec.metric() != nullptr ? *spec.metric() : *metric;
      std::string base = typed ? spec.name() : given.given_name();
      if (!typed && !spec.name().empty() && !names.contains(prefix + without_counter(base)))
        base = without_counter(base);
      std::string name = prefix + base;
      if (is_weighted && names.contains(name)) name = prefix + "weighted_" + base;
      if (!names.insert(name).second) {
        throw ValueError("Found two metrics with the same name: '{}'. Names must be unique.", name);
      }
      named.emplace_back(metric, name);
      (is_weighted ? output.weighted : output.unweighted).push_back(metric);
    };
    for (const MetricSpec& spec : plain[i]) add(spec, false);
    for (const MetricSpec& spec : weighted[i]) add(spec, true);
  }
  // Nothing is modified before this point, so that an error leaves the given metrics unchanged.
  for (const auto& [metric, name] : named) {
    metric->set_log_name(name);
    all_.push_back(metric);
  }
  outputs_ = std::move(outputs);
  built_ = true;
}

void CompiledMetrics::update(const std::vector<std::string>& output_names, const Tensors& y_true,
                             const Tensors& y_pred, const Tensors& sample_weight) {
  if (!built_) build(output_names, y_true, y_pred);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!y_true[i].defined()) continue;
    const Tensor target = match_target(y_true[i], y_pred[i]);
    const Tensor mask = keras_mask(y_pred[i]);
    const Tensor plain = mask.defined() ? ops::cast(mask, DType::float32) : Tensor();
    // Not expanded to [rows, 1] like those of losses: metrics also take [rows], and F scores give
    // the two different meanings.
    const Tensor given = sample_weight[i];
    const Tensor weight =
        masked(given.defined() ? ops::cast(given, y_pred[i].dtype()) : given, plain);
    for (const MetricPtr& metric : outputs_[i].unweighted)
      metric->update_state(target, y_pred[i], plain);
    for (const MetricPtr& metric : outputs_[i].weighted)
      metric->update_state(target, y_pred[i], weight);
  }
}

}  // namespace antler::training
