#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "antler/ir/graph.h"
#include "distribute/replica_merge.h"

/// Replicas whose traces are the same graph run as one program on several devices (SPMD), instead
/// of merged in one graph on one device.
namespace antler::distribute {

/// One program that every replica runs, and what differs between replicas.
struct SpmdProgram {
  /// Inputs are those with a value per replica, then those that all share; outputs are alike.
  ir::GraphPtr body;
  std::vector<Tensors> per_replica;  ///< by replica, then by input
  Tensors shared;
  size_t varying_outputs = 0;
  /// For each output of a trace: which output of `body` it is.
  std::vector<size_t> outputs;
};

/// The program of traces that differ only in their arguments, their captures and the elements of
/// constants. Otherwise there is none, and `mismatch` says what differs; it stays empty for parts
/// of a batch of several sizes.
std::optional<SpmdProgram> find_spmd_program(const std::vector<ReplicaTrace>& traces,
                                             std::string& mismatch);

/// Emits the program as one node. Does what merge_replicas() does otherwise.
PerReplica emit_spmd(const SpmdProgram& program, const std::vector<ReplicaTrace>& traces);

}  // namespace antler::distribute
