#pragma once

#include <string>
#include <utility>

#include "antler/core/tensor.h"

/// How labels, predictions and weights of different ranks are combined.
namespace antler::estimator {

/// Removes a last dimension of 1 from `labels` or `predictions` if predictions have one dimension
/// more, or less, than labels and `rank_difference`.
std::pair<Tensor, Tensor> without_extra_dimension(const Tensor& labels, const Tensor& predictions,
                                                  int rank_difference = 0);
/// Throws ValueError, in which `function` is named, if the shapes differ.
void check_same_shape(const std::string& function, const Tensor& labels, const Tensor& predictions);
/// Throws ValueError unless `weights` is a scalar, or has the rank of `values` and each dimension
/// is theirs or 1.
void check_weights(const Tensor& weights, const Tensor& values);

}  // namespace antler::estimator
