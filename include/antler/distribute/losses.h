#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/tensor.h"

/// Scaling of losses in the function of a replica, needed because gradients are summed over the
/// replicas. fit() does all of this itself.
namespace antler::distribute {

/// The sum of the losses of this replica's samples, [rows, ...], divided by the size of the global
/// batch. The losses are multiplied by `sample_weight` if it is defined. `global_batch_size`
/// defaults to this replica's rows divided by its share of the global batch. Throws ValueError for
/// a size that is not positive and for scalar losses, RuntimeError outside of a replica if the size
/// is not given.
Tensor compute_average_loss(const Tensor& per_example_loss, const Tensor& sample_weight = {},
                            std::optional<int64_t> global_batch_size = {});
/// The sum of a penalty that every replica computes, divided by the number of replicas. Throws
/// RuntimeError outside of a replica.
Tensor scale_regularization_loss(const Tensor& regularization_loss);
/// Scales a mean over the rows of a replica such that the sum over the replicas is the mean over
/// the global batch.
Tensor scale_loss_for_distribution(const Tensor& loss);

}  // namespace antler::distribute
