#pragma once

#include "antler/core/keyword.h"
#include "antler/nn/loss.h"

/// Maximum-margin losses. Binary targets are -1 and 1. Targets that are all 0 or 1 are mapped to -1
/// and 1.
/// The classes make ranks that differ by one equal; the functions broadcast, as in Keras.
namespace antler::losses {

/// mean(max(1 - t p, 0))
Tensor hinge(const Tensor& y_true, const Tensor& y_pred);
/// mean(max(1 - t p, 0)^2)
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred);
/// max(max((1 - t) p) - sum(t p) + 1, 0), targets 0 and 1.
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred);

/// hinge(), reduced over the batch.
struct Hinge : Loss {
  explicit Hinge(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Hinge, LossOptions)
};
/// squared_hinge(), reduced over the batch.
struct SquaredHinge : Loss {
  explicit SquaredHinge(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SquaredHinge, LossOptions)
};
/// categorical_hinge(), reduced over the batch.
struct CategoricalHinge : Loss {
  explicit CategoricalHinge(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalHinge, LossOptions)
};

}  // namespace antler::losses
