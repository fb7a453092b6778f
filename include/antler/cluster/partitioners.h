#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::cluster {

/// Returns the number of parts along each axis of a variable, for ParameterServerStrategy. Only the
/// first may be greater than 1.
using Partitioner = std::function<std::vector<int64_t>(const Shape& shape, DType dtype)>;

/// `num_shards` parts, or one per row if there are fewer (TensorFlow's `FixedShardsPartitioner`).
class FixedShardsPartitioner {
 public:
  /// Throws ValueError unless num_shards >= 1.
  explicit FixedShardsPartitioner(int64_t num_shards);
  /// Throws ValueError for a shape without this axis; so do the other partitioners.
  std::vector<int64_t> operator()(const Shape& shape, DType dtype, int axis = 0) const;

 private:
  int64_t num_shards_;
};

/// Options of MinSizePartitioner.
struct MinSizeOptions {
  int64_t min_shard_bytes = int64_t{256} << 10;  ///< smallest size of a part, in bytes
  int64_t max_shards = 1;                        ///< most parts
};

/// As many parts as possible of at least `min_shard_bytes` (TensorFlow's `MinSizePartitioner`).
class MinSizePartitioner {
 public:
  /// Throws ValueError unless both options are at least 1.
  explicit MinSizePartitioner(const MinSizeOptions& options = {});
  std::vector<int64_t> operator()(const Shape& shape, DType dtype, int axis = 0) const;

 private:
  MinSizeOptions options_;
};

/// Options of MaxSizePartitioner.
struct MaxSizeOptions {
  int64_t max_shard_bytes = 0;             ///< largest size of a part, in bytes; required
  std::optional<int64_t> max_shards = {};  ///< most parts; not given: no limit
};

/// As few parts as possible of at most `max_shard_bytes` or one row (TensorFlow's
/// `MaxSizePartitioner`).
class MaxSizePartitioner {
 public:
  /// Throws ValueError unless all given options are at least 1.
  explicit MaxSizePartitioner(const MaxSizeOptions& options);
  std::vector<int64_t> operator()(const Shape& shape, DType dtype, int axis = 0) const;

 private:
  MaxSizeOptions options_;
};

}  // namespace antler::cluster
