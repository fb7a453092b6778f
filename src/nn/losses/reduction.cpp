#include <algorithm>
#include <array>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layer.h"
#include "antler/nn/loss.h"
#include "antler/nn/mask.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/strings.h"
#include "base/throw_again.h"
#include "ir/traced_origin.h"
#include "nn/losses/support.h"

namespace antler {

namespace losses {

namespace {

constexpr std::array<std::string_view, 6> kReductions = {"auto", "sum_over_batch_size",     "sum",
                                                         "mean", "mean_with_sample_weight", "none"};

/// Whether the reduction is a mean over all values, which has to be corrected for a mask.
bool is_plain_mean(const std::string& reduction) {
  return reduction == "sum_over_batch_size" || reduction == "mean" || reduction == "auto";
}

bool can_broadcast(const Shape& shorter, const Shape& longer) {
  const int extra = longer.rank() - shorter.rank();
  for (int k = 0; k < shorter.rank(); ++k) {
    const int64_t a = shorter[k];
    const int64_t b = longer[k + extra];
    if (a != b && a != 1 && b != 1) return false;
  }
  return true;
}

/// Weights that broadcast to the values. Weights with one dimension less get a last dimension of
/// size 1 if that fits, as in Keras 2 for weights per sample. Otherwise NumPy's rule applies, as in
/// Keras 3. The loss of a whole batch is a scalar and takes weights of any shape.
Tensor fit_weights(const Tensor& values, const Tensor& weights) {
  if (values.rank() == 0) return weights;
  if (weights.rank() > 0 && weights.rank() + 1 == values.rank()) {
    Tensor expanded = ops::expand_dims(weights, -1);
    if (can_broadcast(expanded.shape(), values.shape())) return expanded;
  }
  const bool fits = weights.rank() > values.rank() ? can_broadcast(values.shape(), weights.shape())
                                                   : can_broadcast(weights.shape(), values.shape());
  if (fits) return weights;
  throw ValueError(
      "Loss: `sample_weight` does not fit the values of the loss. Received: "
      "sample_weight.shape={}, values.shape={}.",
      weights.shape(), values.shape());
}

}  // namespace

void check_reduction(const std::string& reduction) {
  if (std::find(kReductions.begin(), kReductions.end(), reduction) != kReductions.end()) return;
  throw ValueError(
      "Invalid value for argument `reduction`. Expected one of '{}'. Received: reduction={}",
      join(kReductions, "', '"), reduction);
}

Tensor reduce_weighted(const Tensor& values, const Tensor& sample_weight,
                       const std::string& reduction, const Tensor& mask) {
  check_reduction(reduction);
  Tensor weighted = to_floating(values);
  Tensor weights = apply_mask(sample_weight, mask, weighted.dtype(), is_plain_mean(reduction));
  if (weights.defined()) {
    // As in Keras: values [n] and weights [n, 1] give [n, 1], and a scalar with weights [1] remains
    // a scalar, which is not divided below.
    const Targets fitted = same_rank(weighted, ops::cast(weights, weighted.dtype()));
    weights = fit_weights(fitted.y_true, fitted.y_pred);
    weighted = fitted.y_true * weights;
  }
  if (reduction == "none" || weighted.rank() == 0 || weighted.shape() == Shape{0}) return weighted;
  Tensor total = ops::sum(weighted);
  if (reduction == "sum") return total;
  if (reduction == "mean_with_sample_weight" && weights.defined()) {
    return ops::divide_no_nan(total, ops::sum(weights));
  }
  return total / static_cast<double>(std::max<int64_t>(weighted.size(), 1));
}

}  // namespace losses

std::string LossImpl::class_name() const { return internal::class_name(typeid(*this)); }

Json LossImpl::get_config() const {
  Json config = Json::object();
  config["name"] = options.name;
  config["reduction"] = options.reduction;
  return config;
}

std::shared_ptr<const LossImpl> Loss::with_name(const std::shared_ptr<LossImpl>& impl) {
  if (impl->options.name.empty()) impl->options.name = to_snake_case(impl->class_name());
  return impl;
}

namespace {

/// Calls a loss. Errors name the loss and the shapes.
Tensor call_named(const LossImpl& loss, const Tensor& y_true, const Tensor& y_pred) {
  try {
    return loss.call(y_true, y_pred);
  } catch (const Error& error) {
    throw_again(error, with_sentence(
                           error.what(),
                           format("In the loss \"{}\", called on y_true of shape {} and y_pred of "
                                  "shape {}.",
                                  loss.options.name, y_true.shape(), y_pred.shape())));
  }
}

}  // namespace

namespace losses {
namespace {

thread_local bool t_averages = false;

/// Rejects means over the rows of one replica, because they get a wrong weight in the sum over the
/// replicas.
void check_replica_average(const std::string& reduction) {
  if (t_averages || reduction == "sum" || reduction == "none") return;
  const VariableOrigin& strategy = current_variable_origin();
  if (strategy == nullptr || strategy->replicas() == 1) return;
  throw ValueError(
      "The loss has the reduction \"{}\". Outside of fit, under a distribution strategy with "
      "several replicas, use \"sum\" or \"none\" and divide by the global batch size: see "
      "distribute::compute_average_loss.",
      reduction);
}

}  // namespace

ReplicaAverages::ReplicaAverages() : previous_(std::exchange(t_averages, true)) {}
ReplicaAverages::~ReplicaAverages() { t_averages = previous_; }

}  // namespace losses

Tensor LossImpl::operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                            const Tensor& mask) const {
  losses::check_replica_average(options.reduction);
  const ir::OriginScope origin(
      ir::traced_origin([&] { return options.name.empty() ? class_name() : options.name; }));
  // Half-precision predictions become float32, because a sum over a batch needs the precision.
  const bool wide = y_pred.dtype() == DType::float32 || y_pred.dtype() == DType::float64;
  const DType dtype = options.dtype ? DTypePolicy(*options.dtype).compute_dtype
                      : wide        ? y_pred.dtype()
                                    : DType::float32;
  const Tensor prediction = y_pred.dtype() == dtype ? y_pred : ops::cast(y_pred, dtype);
  const Tensor target = options.dtype ? ops::cast(y_true, dtype) : y_true;
  const Tensor values = call_named(*this, target, prediction);
  const Tensor given = mask.defined() ? mask : keras_mask(y_pred);
  Tensor keep = compute_mask(target, prediction);
  if (keep.defined() && given.defined()) {
    keep = ops::logical_and(keep, given);
  } else if (given.defined()) {
    keep = given;
  }
  return losses::reduce_weighted(values, sample_weight, options.reduction, keep);
}

}  // namespace antler
