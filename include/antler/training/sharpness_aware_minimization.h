#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/nn/layer_handle.h"
#include "antler/training/model.h"

namespace antler {

/// Arguments of SharpnessAwareMinimization behind the model, Keras 2's, in its order.
struct SharpnessAwareMinimizationOptions {
  double rho = 0.05;  ///< length of the step towards a larger loss
  /// Parts of each batch that have such a step of their own; not given: one. Batches must divide.
  std::optional<int64_t> num_batch_splits = {};
  std::optional<std::string> name = {};
};

/// Trains a model by sharpness-aware minimization (Foret et al. 2020; Keras 2's class): gradients
/// are taken where the weights are after a step of length rho that makes the loss larger, and
/// applied to the weights as they were. As in Keras 2 the first of the two passes is made as in
/// inference, losses of layers do not count, and the loss that is logged is the mean over both
/// passes.
///
///     SharpnessAwareMinimization sam(model, {.rho = 0.1});
///     sam.compile({.optimizer = "adam", .loss = "mse"});
///     sam.fit(x, y);
class SharpnessAwareMinimization : public LayerBase<SharpnessAwareMinimization, Model> {
 public:
  /// Throws TypeError for what is no model, ValueError for fewer than one split.
  explicit SharpnessAwareMinimization(const LayerHandle& model,
                                      const SharpnessAwareMinimizationOptions& options = {});
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Logs train_step(const Batch& batch) override;
  Json get_config() const override;

 private:
  /// The value to minimise on a part of the batch.
  Tensor loss_of(const Batch& part, const Nest& y_pred) const;

  SharpnessAwareMinimizationOptions options_;
  LayerPtr model_;
};

}  // namespace antler
