#pragma once

#include <cstdint>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// The operands and results of a scan by group; see ops/control/scan.cpp for their order.
struct ScanParts {
  const ir::Node& node;
  const ir::Graph& body;
  size_t num_carry;
  size_t num_xs;
  int64_t length;
  bool in_steps;  ///< its work must stay inside its steps

  explicit ScanParts(const ir::Node& scan);
  size_t num_read() const { return num_carry + num_xs; }  ///< carries and xs
  size_t num_ys() const { return node.outputs.size() - num_carry; }
};

/// A new body of the nodes between `inputs` and `outputs`, which are values of the old one.
ir::Graph rebuild_body(const ir::Graph& body, const std::vector<ir::ValueId>& inputs,
                       const std::vector<ir::ValueId>& outputs);

/// Whether a node of the body takes much longer to compute than its result takes to read.
bool is_expensive(const ir::Node& node);

/// Bytes of the operands and results of a scan.
int64_t scan_bytes(const ir::Graph& graph, const ir::Node& scan);

/// A pass may add at most this many times scan_bytes() of operands and results.
inline constexpr int64_t kMaxScanGrowth = 3;

}  // namespace antler::compiler
