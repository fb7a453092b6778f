#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "antler/distribute/tensor_layout.h"
#include "distribute/replicated_strategy.h"

namespace antler::distribute {

/// Replicas whose variables are divided over the devices of each replica.
class ShardedStrategy final : public ReplicatedStrategy {
 public:
  ShardedStrategy(int64_t local_replicas, distribution::LayoutMap layouts,
                  std::shared_ptr<ops::Communicator> workers)
      : ReplicatedStrategy(local_replicas, UnevenBatches::exact, std::move(workers)),
        layouts_(std::move(layouts)) {}

  void place(const Variable& variable) const override;

 private:
  distribution::LayoutMap layouts_;
};

}  // namespace antler::distribute
