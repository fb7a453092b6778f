#pragma once

#include <cstdint>

namespace antler::data {

/// Which part of the common data each worker of a cluster reads.
enum class AutoShardPolicy : uint8_t {
  automatic,  ///< some of the files if there are enough, else some of the elements
  data,       ///< worker w of n reads the elements whose index modulo n is w
  file,       ///< some of the files
  hint,       ///< the program itself shards, by Dataset::shard(SHARD_HINT, SHARD_HINT)
  off,        ///< everything
};

/// For both arguments of Dataset::shard(): stands for the number of workers, and for the index of
/// the worker that reads the data set.
inline constexpr int64_t SHARD_HINT = -1;  // NOLINT(readability-identifier-naming): tf.data's name

/// tf.data.experimental.DistributeOptions
struct DistributeOptions {
  /// How workers divide a data set.
  AutoShardPolicy auto_shard_policy = AutoShardPolicy::automatic;
};

/// tf.data.Options
struct Options {
  DistributeOptions experimental_distribute = {};  ///< for several workers
};

}  // namespace antler::data
