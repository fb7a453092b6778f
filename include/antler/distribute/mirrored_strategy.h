#pragma once

#include <cstdint>

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Synchronous training on several replicas in one process (TensorFlow's MirroredStrategy). Each
/// replica gets its share of the global batch. Gradients and metrics are summed over all replicas,
/// so results equal those of one device up to rounding. As in Keras, batch normalization uses the
/// statistics of the rows of a replica.
///
/// The replicas are virtual CPU devices of this machine. Their steps are compiled into one program.
class MirroredStrategy : public Strategy {
 public:
  /// Throws ValueError unless replicas >= 1.
  explicit MirroredStrategy(int64_t replicas);
};

}  // namespace antler::distribute
