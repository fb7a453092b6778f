#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/nn/layer_handle.h"
#include "antler/training/model.h"

namespace antler {

/// Arguments of SharpnessAwareMinimization after the model, in Keras 2's order.
struct SharpnessAwareMinimizationOptions {
  double rho = 0.05;  ///< length of the ascent step
  /// Parts that each batch is split into, each with its own ascent step; not given: one. Must
  /// divide the batch size.
  std::optional<int64_t> num_batch_splits = {};
  std::optional<std::string> name = {};
};

/// Trains a model by sharpness-aware minimization (Foret et al. 2020; Keras 2's class). The weights
/// take an ascent step of length rho along the gradient; the gradients there are then applied to
/// the original weights. As in Keras 2, the first pass runs in inference mode, losses of layers are
/// ignored, and the logged loss is the mean over both passes.
///
///     SharpnessAwareMinimization sam(model, {.rho = 0.1});
///     sam.compile({.optimizer = "adam", .loss = "mse"});
///     sam.fit(x, y);
class SharpnessAwareMinimization : public ModelBase<SharpnessAwareMinimization> {
 public:
  /// Throws TypeError if `model` is not a model, ValueError for fewer than one split.
  explicit SharpnessAwareMinimization(const LayerHandle& model,
                                      const SharpnessAwareMinimizationOptions& options = {});
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Logs train_step(const Batch& batch) override;
  Json get_config() const override;

 private:
  Tensor loss_of(const Batch& part, const Nest& y_pred) const;

  SharpnessAwareMinimizationOptions options_;
  LayerPtr model_;
};

}  // namespace antler
