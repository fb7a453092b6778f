#pragma once

#include <string>
#include <utility>

namespace antler::estimator::train {

/// During its lifetime, slots of this thread are named "<variable>/<infix>/<slot>", and other
/// variables of optimizers "<scope>/<name>". These are the names that slots of TensorFlow's
/// partitioned variables have in checkpoints if minimize() is called inside the variable scope.
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
