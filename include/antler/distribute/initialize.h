#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/ops/communicator.h"

namespace antler::distribution {

/// Fields that are not given are read from the environment variables
/// KERAS_DISTRIBUTION_JOB_ADDRESSES, KERAS_DISTRIBUTION_NUM_PROCESSES and
/// KERAS_DISTRIBUTION_PROCESS_ID.
struct InitializeOptions {
  /// "host:port" of every process, separated by commas.
  std::optional<std::string> job_addresses = {};
  std::optional<int64_t> num_processes = {};  ///< counting this one
  /// Number of this process, from 0 to num_processes - 1.
  std::optional<int64_t> process_id = {};
};

/// The processes of a cluster.
struct Processes {
  std::vector<std::string> addresses = {};  ///< empty for a process that works alone
  int64_t process_id = 0;
};

/// The processes that `options` and the environment describe. If none of Keras's variables is set,
/// they are those of distribute::resolver_from_environment(). Throws ValueError unless there is one
/// address per process, and for a `process_id` that is missing or out of range.
Processes described_processes(const InitializeOptions& options = {});

/// Connects this process with others.
using Connect = std::function<std::shared_ptr<ops::Communicator>(const Processes& processes)>;

/// Makes this process one of several that train together. Call it before random numbers are drawn
/// and before the first mesh is created. Distributions then span the devices of all processes, and
/// random seeds are those of process 0. Does nothing for a process that works alone. Several
/// processes need `connect`: cluster::initialize() passes one that uses Gloo. Throws RuntimeError
/// without it, and what described_processes() throws.
void initialize(const InitializeOptions& options = {}, const Connect& connect = {});

}  // namespace antler::distribution
