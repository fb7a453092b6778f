#pragma once

#include <cstdint>

#include "antler/distribute/strategy.h"

namespace antler::distribute {

/// Synchronous training on several replicas of one process (TensorFlow's MirroredStrategy): each
/// gets its share of the global batch, gradients and metrics are summed over all of them, so that
/// the result is that of one device within rounding. Batch normalization takes the statistics of a
/// replica's own rows, as in Keras.
///
/// The replicas are virtual devices of this machine's CPU: their steps become one program.
class MirroredStrategy : public Strategy {
 public:
  /// Throws ValueError unless replicas >= 1.
  explicit MirroredStrategy(int64_t replicas);
};

}  // namespace antler::distribute
