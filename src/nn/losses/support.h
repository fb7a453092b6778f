#pragma once

#include <functional>
#include <string>

#include "antler/nn/loss.h"

/// What the families of losses (and the metrics) share.
namespace antler::losses {

/// Keras's epsilon: keeps logarithms and divisions finite.
inline constexpr double kEpsilon = 1e-7;

struct Targets {
  Tensor y_true;
  Tensor y_pred;
};

/// Where the ranks differ by one and the longer one ends in 1: expands a vector, else squeezes the
/// longer one. So (n) goes with (n, 1).
Targets same_rank(const Tensor& y_true, const Tensor& y_pred);
/// `x`, as float32 where it is not floating.
Tensor to_floating(const Tensor& x);
/// Predictions floating, targets of their dtype, ranks made equal.
Targets prepare(const Tensor& y_true, const Tensor& y_pred);
/// Merges a mask of what to keep into weights. With `total` / kept as the weight of what is kept, a
/// mean over everything becomes the mean over what is kept; that is for the reductions that are
/// means.
Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, bool mean);
/// x times s(1 - smoothing) plus smoothing / classes.
Tensor smooth(const Tensor& y_true, double label_smoothing, double classes);

/// The name of a loss class, and that of its objects unless they are given one.
struct LossNames {
  const char* class_name;
  const char* default_name;
};

/// A loss of a function. `config` holds the class's own options; a mask function tells which
/// positions count.
Loss make_loss(const LossNames& names, const LossOptions& options, Json config, Function call,
               Function mask = {});

}  // namespace antler::losses
