#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "antler/distribute/tensor_layout.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {

/// The strategy of a distribution: replicas whose variables are divided over the devices of each
/// replica.
class ShardedStrategy final : public ReplicatedStrategy {
 public:
  /// `batch_axis`: the axis of the mesh along which the replicas lie.
  ShardedStrategy(int64_t local_replicas, distribution::LayoutMap layouts, std::string batch_axis,
                  std::shared_ptr<ops::Communicator> workers)
      : ReplicatedStrategy(local_replicas, UnevenBatches::exact, std::move(workers)),
        layouts_(std::move(layouts)),
        batch_axis_(std::move(batch_axis)) {}

  void place(const Variable& variable) const override;
  Tensor place_output(const std::string& path, const Tensor& output) const override;
  bool joint_statistics() const override { return true; }

 protected:
  /// Its devices are virtual ones, and one program holds the parts of a variable.
  bool has_device_per_replica() const override { return false; }

 private:
  distribution::LayoutMap layouts_;
  std::string batch_axis_;
};

/// `x`, marked as an array that the devices of a replica compute in parts.
Tensor divided(const Tensor& x, const distribution::TensorLayout& layout, const std::string& what,
               const std::string& batch_axis);

}  // namespace antler::distribute
