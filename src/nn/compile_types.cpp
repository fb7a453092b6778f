#include "antler/nn/compile_types.h"

#include "antler/base/error.h"

namespace antler {

LossSpec::LossSpec(std::vector<LossSpec> list) : kind_(Kind::list) {
  for (LossSpec& item : list) items_.emplace_back(std::string(), std::move(item));
}

LossSpec::LossSpec(std::initializer_list<LossSpec> list) : LossSpec(std::vector<LossSpec>(list)) {}

LossSpec LossSpec::dict(Items items) {
  LossSpec spec;
  spec.kind_ = Kind::dict;
  spec.items_ = std::move(items);
  return spec;
}

Loss LossSpec::resolve() const {
  if (kind_ != Kind::single) {
    throw ValueError(
        "LossSpec: only a single loss can be resolved. Received a list, a dictionary or nothing.");
  }
  return loss_.defined() ? loss_ : losses::get(name_);
}

MetricSpec::MetricSpec(const Loss& loss)
    : MetricSpec(
          metrics::from_function(loss.name(), [loss](const Tensor& y_true, const Tensor& y_pred) {
            return loss.call(y_true, y_pred);
          })) {}

MetricSpec::MetricSpec(std::vector<MetricSpec> list) : kind_(Kind::list) {
  for (MetricSpec& item : list) items_.emplace_back(std::string(), std::move(item));
}

MetricSpec::MetricSpec(std::initializer_list<MetricSpec> list)
    : MetricSpec(std::vector<MetricSpec>(list)) {}

MetricSpec MetricSpec::dict(Items items) {
  MetricSpec spec;
  spec.kind_ = Kind::dict;
  spec.items_ = std::move(items);
  return spec;
}

bool MetricSpec::is_resolved_by_shape() const {
  return kind_ == Kind::single && metric_ == nullptr && metrics::is_resolved_by_shape(name_);
}

MetricPtr MetricSpec::resolve() const {
  if (kind_ != Kind::single) {
    throw ValueError(
        "MetricSpec: only a single metric can be resolved. Received a list, a dictionary or "
        "nothing.");
  }
  return metric_ != nullptr ? metric_ : metrics::get(name_);
}

MetricPtr MetricSpec::resolve(const Shape& y_true, const Shape& y_pred) const {
  return is_resolved_by_shape() ? metrics::get_by_shape(name_, y_true, y_pred) : resolve();
}

}  // namespace antler
