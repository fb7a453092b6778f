#include "nn/losses/support.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "antler/nn/dtype_policy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::losses {

namespace {

/// A loss defined by a function and a configuration.
class FunctionLoss final : public LossImpl {
 public:
  FunctionLoss(std::string class_name, Json config, Function call, Function mask)
      : class_name_(std::move(class_name)),
        config_(std::move(config)),
        call_(std::move(call)),
        mask_(std::move(mask)) {}

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    const Targets t = same_rank(y_true, y_pred);
    return call_(t.y_true, t.y_pred);
  }
  Tensor compute_mask(const Tensor& y_true, const Tensor& y_pred) const override {
    return mask_ ? mask_(y_true, y_pred) : Tensor();
  }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override {
    Json json = Json::object();
    json["name"] = options.name;
    json["reduction"] = options.reduction;
    json.update(config_);
    return json;
  }

 private:
  std::string class_name_;
  Json config_;
  Function call_;
  Function mask_;
};

}  // namespace

Targets same_rank(const Tensor& y_true, const Tensor& y_pred) {
  const auto fit = [](const Tensor& longer, const Tensor& shorter) -> Targets {
    if (longer.rank() != shorter.rank() + 1 || longer.dim(-1) != 1) return {longer, shorter};
    if (shorter.rank() == 1) return {longer, ops::expand_dims(shorter, -1)};
    return {ops::squeeze(longer, -1), shorter};
  };
  if (y_true.rank() > y_pred.rank()) return fit(y_true, y_pred);
  const Targets swapped = fit(y_pred, y_true);
  return {swapped.y_pred, swapped.y_true};
}

Tensor to_floating(const Tensor& x) {
  return is_floating(x.dtype()) ? x : ops::cast(x, DType::float32);
}

Targets same_dtype(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor prediction = to_floating(y_pred);
  const Tensor target =
      y_true.dtype() == prediction.dtype() ? y_true : ops::cast(y_true, prediction.dtype());
  return {target, prediction};
}

Targets prepare(const Tensor& y_true, const Tensor& y_pred) {
  const Targets t = same_dtype(y_true, y_pred);
  return same_rank(t.y_true, t.y_pred);
}

Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, bool mean) {
  if (!mask.defined()) return sample_weight;
  Tensor kept = ops::cast(mask, dtype);
  if (mean) {
    const Tensor total = Tensor::full(dtype, {}, static_cast<double>(mask.size()));
    kept = kept * ops::divide_no_nan(total, ops::sum(kept));
  }
  if (!sample_weight.defined()) return kept;
  const Targets fitted = same_rank(kept, ops::cast(sample_weight, dtype));
  return fitted.y_true * fitted.y_pred;
}

Tensor smooth(const Tensor& y_true, double label_smoothing, double classes) {
  if (label_smoothing == 0.0) return y_true;
  return y_true * (1.0 - label_smoothing) + label_smoothing / classes;
}

Loss make_loss(const LossNames& names, const LossOptions& options, Json config, Function call,
               Function mask) {
  config.erase("name");
  config.erase("reduction");
  auto impl = std::make_shared<FunctionLoss>(names.class_name, std::move(config), std::move(call),
                                             std::move(mask));
  impl->options = options;
  if (impl->options.name.empty()) impl->options.name = names.default_name;
  check_reduction(impl->options.reduction);
  if (options.dtype) DTypePolicy{*options.dtype};  // throws ValueError for an unknown dtype
  return Loss(std::move(impl));
}

}  // namespace antler::losses
