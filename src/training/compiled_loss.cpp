#include "training/compiled_loss.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/distribute/strategy.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "training/structure.h"

namespace antler::training {
namespace {

void check_count(const char* what, size_t given, size_t outputs) {
  if (given == outputs) return;
  throw ValueError("`{}` has {} entries, but the model has {} outputs.", what, given, outputs);
}

std::vector<Loss> losses_by_output(const LossSpec& spec, const std::vector<std::string>& names) {
  std::vector<Loss> losses(names.size());
  switch (spec.kind()) {
    case LossSpec::Kind::none:
      break;
    case LossSpec::Kind::single:
      for (Loss& loss : losses) loss = spec.resolve();
      break;
    case LossSpec::Kind::list:
      if (spec.items().size() > names.size()) {
        throw KeyError(
            "The path ({},) in the `loss` argument can't be found in the model's output: `loss` "
            "has {} entries, but the model has {} outputs.",
            names.size(), spec.items().size(), names.size());
      }
      check_count("loss", spec.items().size(), names.size());
      for (size_t i = 0; i < losses.size(); ++i) {
        if (spec.items()[i].second.given()) losses[i] = spec.items()[i].second.resolve();
      }
      break;
    case LossSpec::Kind::dict:
      for (const auto& [name, part] : spec.items()) {
        Loss& loss = losses[output_index(name, names, "loss")];
        if (part.given()) loss = part.resolve();
      }
      break;
  }
  return losses;
}

std::vector<double> weights_by_output(const LossWeights& spec,
                                      const std::vector<std::string>& names) {
  std::vector<double> weights(names.size(), 1.0);
  switch (spec.kind()) {
    case LossWeights::Kind::none:
      break;
    case LossWeights::Kind::single:
      weights.assign(names.size(), spec.items()[0].second);
      break;
    case LossWeights::Kind::list:
      check_count("loss_weights", spec.items().size(), names.size());
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = spec.items()[i].second;
      break;
    case LossWeights::Kind::dict:
      for (const auto& [name, weight] : spec.items())
        weights[output_index(name, names, "loss_weights")] = weight;
      break;
  }
  return weights;
}

void add_to(Tensor& total, const Tensor& value) {
  total = total.defined() ? ops::add(total, value) : value;
}

MetricPtr loss_tracker() { return metrics::Mean({.name = "loss"}).share(); }

void track(const MetricPtr& tracker, const Tensor& value, const Tensor& weight) {
  static_cast<metrics::Mean&>(*tracker).update_state(value, weight);
}

bool takes_labels(const Loss& loss) {
  return loss.defined() && loss.impl().class_name() == "SparseCategoricalCrossentropy";
}

/// The position of a flat index in `shape`: "5" or "(2, 5)".
std::string position(int64_t index, const Shape& shape) {
  if (shape.rank() < 2) return std::to_string(index);
  std::vector<int64_t> indices;
  for (const int64_t stride : shape.strides()) {
    indices.push_back(index / stride);
    index %= stride;
  }
  return Shape(indices).str();
}

/// Throws ValueError for a label outside of [0, classes).
void check_range(const Tensor& labels, int64_t classes, const std::optional<int64_t>& ignored,
                 const std::string& where) {
  dispatch(labels.dtype(), [&]<class T>() {
    const T* values = labels.data<T>();
    const auto end = static_cast<double>(classes);
    for (int64_t i = 0; i < labels.size(); ++i) {
      const auto label = static_cast<double>(values[i]);
      if (label >= 0 && label < end) continue;
      if (ignored && label == static_cast<double>(*ignored)) continue;
      throw ValueError(
          "Received a label value of {} which is outside the valid range of [0, {}): {} has it at "
          "index {}, and there are {} classes.",
          label, classes, where, position(i, labels.shape()), classes);
    }
  });
}

Tensor row_count(const Tensor& t) {
  return Tensor::full(DType::float32, {}, static_cast<double>(t.rank() > 0 ? t.dim(0) : 1));
}

}  // namespace

void CompiledLoss::build(const std::vector<std::string>& output_names) {
  const std::vector<Loss> losses = losses_by_output(spec_, output_names);
  const std::vector<double> weights = weights_by_output(weights_, output_names);
  size_t count = 0;
  for (const Loss& loss : losses) count += loss.defined() ? 1 : 0;
  std::vector<Output> outputs;
  std::vector<MetricPtr> trackers = {trackers_.empty() ? loss_tracker() : trackers_[0]};
  for (size_t i = 0; i < losses.size(); ++i) {
    Output& output = outputs.emplace_back(Output{losses[i], weights[i]});
    if (training::takes_labels(losses[i])) {
      const Json config = losses[i].impl().get_config();
      output.takes_labels = true;
      output.axis = config.value("axis", int64_t{-1});
      if (config.contains("ignore_class") && config["ignore_class"].is_number())
        output.ignored = config["ignore_class"].get<int64_t>();
    }
    if (count < 2 || !losses[i].defined()) continue;
    output.tracker = static_cast<int>(trackers.size());
    trackers.push_back(metrics::Mean({.name = output_names[i] + "_loss"}).share());
  }
  output_names_ = output_names;
  outputs_ = std::move(outputs);
  trackers_ = std::move(trackers);
  built_ = true;
}

Tensors CompiledLoss::targets(const Nest& y, const std::vector<std::string>& output_names,
                              const Nest& y_pred) {
  if (y.is_tensor() && output_names.size() > 1 && given()) {
    if (!built_) build(output_names);
    const auto has_loss = [](const Output& output) { return output.loss.defined(); };
    if (std::count_if(outputs_.begin(), outputs_.end(), has_loss) == 1) {
      Tensors result(outputs_.size());
      const auto only = std::find_if(outputs_.begin(), outputs_.end(), has_loss);
      result[static_cast<size_t>(only - outputs_.begin())] = y.tensor();
      return result;
    }
  }
  return align(y, output_names, y_pred, "y");
}

Tensor CompiledLoss::operator()(const std::vector<std::string>& output_names, const Tensors& y_true,
                                const Tensors& y_pred, const Tensors& sample_weight,
                                const Tensors& extra) {
  if (!built_) build(output_names);
  tracked_ = true;
  const losses::ReplicaAverages scaled;
  const distribute::ReplicaContext* replica = distribute::get_replica_context();
  const double share = replica != nullptr ? replica->share : 1;
  const double penalty_share = replica != nullptr ? replica->penalty_share : 1;
  Tensor reported;   // shown in the logs
  Tensor minimized;  // its gradients are summed over replicas
  Tensor batch_size;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    if (!output.loss.defined() || !y_true[i].defined()) continue;
    if (output.takes_labels) output.classes = y_pred[i].dim(static_cast<int>(output.axis));
    const Tensor target = match_target(y_true[i], y_pred[i]);
    const Tensor value = output.loss(target, y_pred[i], match_weight(sample_weight[i], y_pred[i]));
    // Unreduced losses (reduction "none") are summed for the gradient and averaged for the logs.
    const bool summed = output.loss.reduction() == "sum" || value.rank() > 0;
    Tensor v = value.rank() > 0 ? ops::sum(value) : value;
    Tensor r = value.rank() > 0 ? ops::mean(value) : value;
    if (share != 1) {
      if (!summed) v = ops::multiply(v, share);
      // The tracker averages over the rows of all replicas, but "sum" must report their sum.
      if (output.loss.reduction() == "sum") r = ops::divide(r, share);
    }
    const Tensor rows = row_count(target);
    if (!batch_size.defined()) batch_size = rows;
    if (output.tracker >= 0) track(trackers_[static_cast<size_t>(output.tracker)], r, rows);
    if (output.weight != 1) {
      v = ops::multiply(v, output.weight);
      r = ops::multiply(r, output.weight);
    }
    add_to(minimized, v);
    add_to(reported, r);
  }
  for (const Tensor& value : extra) {
    const Tensor scalar = value.rank() > 0 ? ops::sum(value) : value;
    add_to(reported, scalar);
    add_to(minimized, penalty_share != 1 ? ops::multiply(scalar, penalty_share) : scalar);
  }
  if (!minimized.defined()) return {};
  if (!batch_size.defined())
    batch_size = row_count(y_pred.empty() || !y_pred[0].defined() ? reported : y_pred[0]);
  track(trackers_[0], reported, batch_size);
  return minimized;
}

void CompiledLoss::track_other(const Tensor& loss, const Nest& x,
                               const std::vector<MetricPtr>& metrics) {
  if (std::exchange(tracked_, false) || !loss.defined()) return;
  const auto is_other = [&](const MetricPtr& metric) {
    return metric->name() == "loss" && (trackers_.empty() || metric != trackers_[0]);
  };
  if (std::any_of(metrics.begin(), metrics.end(), is_other)) return;
  if (trackers_.empty()) trackers_ = {loss_tracker()};
  const Tensors inputs = x.flatten();
  const auto first = std::find_if(inputs.begin(), inputs.end(),
                                  [](const Tensor& input) { return input.defined(); });
  track(trackers_[0], loss.rank() > 0 ? ops::mean(loss) : loss,
        row_count(first == inputs.end() ? loss : *first));
}

bool CompiledLoss::takes_labels() const {
  if (built_) {
    return std::any_of(outputs_.begin(), outputs_.end(),
                       [](const Output& output) { return output.takes_labels; });
  }
  const auto takes = [](const LossSpec& spec) {
    return spec.kind() == LossSpec::Kind::single && training::takes_labels(spec.resolve());
  };
  return takes(spec_) || std::any_of(spec_.items().begin(), spec_.items().end(),
                                     [&](const auto& item) { return takes(item.second); });
}

void CompiledLoss::check_labels(const Nest& y, const char* what) const {
  const Tensors list = y.is_dict() ? Tensors() : y.flatten();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    if (!output.takes_labels || output.classes <= 0) continue;
    const std::string& name = output_names_[i];
    Tensor labels;
    if (y.is_dict() && y.contains(name) && y.at(name).is_tensor()) labels = y.at(name).tensor();
    if (!y.is_dict() && list.size() == outputs_.size()) labels = list[i];
    if (!labels.defined() || !labels.is_value()) continue;
    const std::string where =
        outputs_.size() > 1 ? format("`{}` of the output '{}'", what, name) : format("`{}`", what);
    check_range(labels, output.classes, output.ignored, where);
  }
}

}  // namespace antler::training
