#include "antler/distribute/losses.h"

#include "antler/base/error.h"
#include "antler/distribute/strategy.h"
#include "antler/nn/loss.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::distribute {
namespace {

const ReplicaContext& require_replica(const char* function) {
  const ReplicaContext* replica = get_replica_context();
  if (replica != nullptr) return *replica;
  throw RuntimeError("{}: call it in the function of a replica, inside of Strategy.run.", function);
}

}  // namespace

Tensor compute_average_loss(const Tensor& per_example_loss, const Tensor& sample_weight,
                            std::optional<int64_t> global_batch_size) {
  if (per_example_loss.rank() == 0) {
    throw ValueError(
        "compute_average_loss: expected losses of samples, [rows, ...]. Received a scalar.");
  }
  double size = 0;
  if (global_batch_size) {
    if (*global_batch_size <= 0) {
      throw ValueError("compute_average_loss: `global_batch_size` must be positive. Received: {}.",
                       *global_batch_size);
    }
    size = static_cast<double>(*global_batch_size);
  } else {
    size = static_cast<double>(per_example_loss.dim(0)) /
           require_replica("compute_average_loss").share;
  }
  const Tensor weighted =
      losses::reduce_weighted(per_example_loss, sample_weight, /*reduction=*/"none");
  return ops::divide(ops::sum(weighted), size);
}

Tensor scale_regularization_loss(const Tensor& regularization_loss) {
  const ReplicaContext& replica = require_replica("scale_regularization_loss");
  return ops::multiply(ops::sum(regularization_loss), replica.penalty_share);
}

Tensor scale_loss_for_distribution(const Tensor& loss) {
  const ReplicaContext* replica = get_replica_context();
  return replica == nullptr || replica->share == 1 ? loss : ops::multiply(loss, replica->share);
}

}  // namespace antler::distribute
