#pragma once

#include <string>
#include <utility>

#include "antler/core/tensor.h"

/// Combines labels, predictions and weights of different ranks.
namespace antler::estimator {

/// Removes a last dimension of size 1 from `predictions` or `labels` if the rank of predictions
/// minus that of labels is one more or one less than `rank_difference`.
std::pair<Tensor, Tensor> without_extra_dimension(const Tensor& labels, const Tensor& predictions,
                                                  int rank_difference = 0);
/// Throws ValueError that names `function` if the shapes differ.
void check_same_shape(const std::string& function, const Tensor& labels, const Tensor& predictions);
/// Throws ValueError unless `weights` is a scalar, or has the rank of `values` and each of its
/// dimensions is 1 or equals that of `values`.
void check_weights(const Tensor& weights, const Tensor& values);

}  // namespace antler::estimator
