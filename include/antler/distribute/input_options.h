#pragma once

#include <cstdint>
#include <optional>

namespace antler::distribute {

/// How often a function that makes a data set is called.
enum class InputReplicationMode : uint8_t {
  per_worker,   ///< once in each process; its elements go to the replicas in turn
  per_replica,  ///< once for each replica
};

/// How a distributed data set is read, in TensorFlow's terms. Elements stay in the memory of the
/// host until a program runs, so the options about devices and buffers have no effect.
struct InputOptions {
  std::optional<bool> experimental_fetch_to_device = {};  ///< has no effect
  /// How often the function of distribute_datasets_from_function() is called.
  InputReplicationMode experimental_replication_mode = InputReplicationMode::per_worker;
  bool experimental_place_dataset_on_device = false;  ///< has no effect
  int64_t experimental_per_replica_buffer_size = 1;   ///< has no effect
};

}  // namespace antler::distribute
