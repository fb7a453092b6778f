#pragma once

#include <string>
#include <utility>

namespace antler::estimator::train {

/// While it lives, slots of this thread are named "<variable>/<infix>/<slot>", and what optimizers
/// have beside slots "<scope>/<name>": the names that slots of TensorFlow's partitioned variables
/// have in checkpoints if minimize() is called inside of the variable scope.
class PartitionedSlotNames {
 public:
  PartitionedSlotNames(std::string scope, std::string infix);
  ~PartitionedSlotNames();
  PartitionedSlotNames(const PartitionedSlotNames&) = delete;
  PartitionedSlotNames& operator=(const PartitionedSlotNames&) = delete;

 private:
  std::pair<std::string, std::string> previous_;
};

}  // namespace antler::estimator::train
