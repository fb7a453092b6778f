#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "antler/ir/graph.h"
#include "distribute/replica_merge.h"

/// Replicas whose traces are the same graph run as one program on several devices (SPMD) instead of
/// being merged into one graph on one device.
namespace antler::distribute {

/// One program that every replica runs, and the values that differ between replicas.
struct SpmdProgram {
  /// The inputs with one value per replica come first, then the shared ones; likewise for the
  /// outputs.
  ir::GraphPtr body;
  std::vector<Tensors> per_replica;  ///< by replica, then by input
  Tensors shared;
  size_t varying_outputs = 0;
  /// For each output of a trace, the index of the output of `body`.
  std::vector<size_t> outputs;
};

/// The program of traces that differ only in their arguments, their captures and the elements of
/// constants. Otherwise returns nullopt, and `mismatch` says what differs; it stays empty if the
/// parts of a batch have different sizes.
std::optional<SpmdProgram> find_spmd_program(const std::vector<ReplicaTrace>& traces,
                                             std::string& mismatch);

/// Emits the program as one node. Does the same as merge_replicas().
PerReplica emit_spmd(const SpmdProgram& program, const std::vector<ReplicaTrace>& traces);

}  // namespace antler::distribute
