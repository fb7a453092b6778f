#include "training/compiled_loss.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/reduce.h"
#include "training/structure.h"

namespace antler::training {

void CompiledLoss::build(const std::vector<std::string>& output_names) {
  const size_t count = output_names.size();
  losses_.assign(count, Loss());
  switch (spec_.kind()) {
    case LossSpec::Kind::none:
      break;
    case LossSpec::Kind::single:
      for (Loss& loss : losses_) loss = spec_.resolve();
      break;
    case LossSpec::Kind::list:
      if (spec_.items().size() != count) {
        throw ValueError("`loss` has " + std::to_string(spec_.items().size()) +
                         " entries, but the model has " + std::to_string(count) + " outputs.");
      }
      for (size_t i = 0; i < count; ++i) {
        if (spec_.items()[i].second.given()) losses_[i] = spec_.items()[i].second.resolve();
      }
      break;
    case LossSpec::Kind::dict:
      for (const auto& [name, part] : spec_.items()) {
        const auto it = std::find(output_names.begin(), output_names.end(), name);
        if (it == output_names.end()) {
          std::string known;
          for (const std::string& n : output_names)
            known += (known.empty() ? "'" : ", '") + n + "'";
          throw ValueError("Unknown output name '" + name + "' in `loss`. Expected: [" + known +
                           "].");
        }
        if (part.given()) losses_[static_cast<size_t>(it - output_names.begin())] = part.resolve();
      }
      break;
  }
  if (!weights_.empty() && weights_.size() != count) {
    throw ValueError("`loss_weights` has " + std::to_string(weights_.size()) +
                     " entries, but the model has " + std::to_string(count) + " outputs.");
  }
  trackers_.push_back(metrics::Mean({.name = "loss"}).share());
  tracker_of_.assign(count, -1);
  for (size_t i = 0; count > 1 && i < count; ++i) {
    if (!losses_[i].defined()) continue;
    tracker_of_[i] = static_cast<int>(trackers_.size());
    trackers_.push_back(metrics::Mean({.name = output_names[i] + "_loss"}).share());
  }
  built_ = true;
}

Tensor CompiledLoss::operator()(const std::vector<std::string>& output_names, const Tensors& y_true,
                                const Tensors& y_pred, const Tensors& sample_weight,
                                const Tensors& extra) {
  if (!built_) build(output_names);
  const auto track = [](const MetricPtr& tracker, const Tensor& value, const Tensor& weight) {
    static_cast<metrics::Mean&>(*tracker).update_state(value, weight);
  };
  Tensor total;
  Tensor batch_size;
  for (size_t i = 0; i < losses_.size(); ++i) {
    if (!losses_[i].defined() || !y_true[i].defined()) continue;
    const Tensor target = match_target(y_true[i], y_pred[i]);
    Tensor value = losses_[i](target, y_pred[i], match_weight(sample_weight[i], y_pred[i]));
    const Tensor samples = Tensor::full(DType::float32, {},
                                        static_cast<double>(target.rank() > 0 ? target.dim(0) : 1));
    if (!batch_size.defined()) batch_size = samples;
    if (value.rank() > 0)
      value = ops::mean(value);  // reduction "none": the loop minimises the mean
    if (tracker_of_[i] >= 0) track(trackers_[static_cast<size_t>(tracker_of_[i])], value, samples);
    if (!weights_.empty()) value = ops::multiply(value, weights_[i]);
    total = total.defined() ? ops::add(total, value) : value;
  }
  for (const Tensor& value : extra) {
    const Tensor scalar = value.rank() > 0 ? ops::sum(value) : value;
    total = total.defined() ? ops::add(total, scalar) : scalar;
  }
  if (!total.defined()) return total;
  track(trackers_[0], total,
        batch_size.defined() ? batch_size : Tensor::full(DType::float32, {}, 1));
  return total;
}

}  // namespace antler::training
