#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "antler/distribute/tensor_layout.h"
#include "distribute/replicated_strategy.h"
#include "ops/mesh_layout.h"

namespace antler::distribute {

/// The strategy of a distribution: replicas whose variables are divided over the devices of each
/// replica.
class ShardedStrategy final : public ReplicatedStrategy {
 public:
  /// `batch_axis`: the axis of the mesh along which the replicas are arranged. If programs run on
  /// devices of a plug-in (config::device()), the mesh consists of these, for one process, and
  /// there is one replica: the partitioner of the plug-in divides its batches and variables.
  ShardedStrategy(int64_t local_replicas, distribution::LayoutMap layouts, std::string batch_axis,
                  const std::shared_ptr<ops::Communicator>& workers);

  void place(const Variable& variable) const override;
  Tensor place_output(const std::string& path, const Tensor& output) const override;
  Nest place_batch(const Nest& batch) const override;
  /// `x`, called `what` in errors, marked as an array that devices compute in the parts of a
  /// layout.
  Tensor place(const Tensor& x, const distribution::TensorLayout& layout,
               const std::string& what) const;
  bool joint_statistics() const override { return true; }

 protected:
  /// Its devices are virtual, and one program holds the parts of a variable.
  bool has_device_per_replica() const override { return false; }

 private:
  /// How the mesh of a plug-in divides the rows of a batch: along the batch axis if they divide
  /// evenly.
  Sharding rows_of(const Shape& shape) const;

  distribution::LayoutMap layouts_;
  std::string batch_axis_;
  std::optional<ops::DeviceGrid> grid_;  ///< of a plug-in
};

/// `x`, marked as an array that devices compute in the parts of a layout, without a strategy: the
/// devices of a plug-in if programs run there, otherwise virtual ones.
Tensor placed(const Tensor& x, const distribution::TensorLayout& layout, const std::string& what);

/// `x`, marked as an array that the devices of a replica compute in parts.
Tensor divided(const Tensor& x, const distribution::TensorLayout& layout, const std::string& what,
               const std::string& batch_axis);

}  // namespace antler::distribute
