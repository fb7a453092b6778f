#pragma once

#include <functional>
#include <string>

#include "antler/nn/loss.h"

/// Shared by the losses and the metrics.
namespace antler::losses {

/// Keras's epsilon, which keeps logarithms and divisions finite.
inline constexpr double kEpsilon = 1e-7;

struct Targets {
  Tensor y_true;
  Tensor y_pred;
};

/// If the ranks differ by one and the last dimension of the larger shape is 1, makes them equal:
/// expands a vector, otherwise squeezes the larger one.
Targets same_rank(const Tensor& y_true, const Tensor& y_pred);
/// `x`, cast to float32 unless it is floating.
Tensor to_floating(const Tensor& x);
/// Floating-point predictions and targets of the same dtype. Ranks that differ are kept: where
/// Keras's functions do not adjust them, they broadcast. The classes of losses adjust them always.
Targets same_dtype(const Tensor& y_true, const Tensor& y_pred);
/// The same with equal ranks.
Targets prepare(const Tensor& y_true, const Tensor& y_pred);
/// Multiplies weights by a mask of the values to keep. With `mean`, the mask is scaled by total /
/// kept, so that the mean over all values equals the mean over the kept ones.
Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, bool mean);
/// y_true * (1 - label_smoothing) + label_smoothing / classes.
Tensor smooth(const Tensor& y_true, double label_smoothing, double classes);

/// The name of a loss class, and the default name of its objects.
struct LossNames {
  const char* class_name;
  const char* default_name;
};

/// A loss defined by a function. `config` holds the options of the class; a mask function selects
/// the positions that count.
Loss make_loss(const LossNames& names, const LossOptions& options, Json config, Function call,
               Function mask = {});

}  // namespace antler::losses
