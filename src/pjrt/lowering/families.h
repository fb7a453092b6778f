#pragma once

#include <span>
#include <string>

#include "antler/ir/graph.h"
#include "pjrt/lowering/emitter.h"

/// Every file that lowers ops exports a span of rules, which lower_graph.cpp joins.
namespace antler::pjrt {

/// An op that has no lowering for its operands; `what` says why. The program runs on the CPU.
struct Unsupported {
  std::string what;
};

/// The arguments of a rule.
struct LowerArgs {
  Emitter& emit;
  const ir::Node& node;
  std::span<const Value> inputs;
  std::span<const TensorSpec> outputs;  ///< specs that the rule's results must have

  const ir::Attrs& attrs() const { return node.attrs; }
  const Value& operator[](size_t i) const { return inputs[i]; }
  Type result(size_t i = 0) const { return type_of(outputs[i]); }
};

/// Writes the nodes of a graph, with `inputs` in place of its inputs (arguments, then states).
/// Returns its outputs, then the new values of the states that it writes. Throws Unsupported.
Values lower_body(Emitter& emit, const ir::Graph& graph, std::span<const Value> inputs);

/// The values of all replicas, joined along an axis.
Value gather_replicas(Emitter& emit, const Value& x, int64_t axis);

struct Rule {
  const char* op;
  Values (*lower)(const LowerArgs& args);
};
using Rules = std::span<const Rule>;

Rules elementwise_rules();
Rules movement_rules();
Rules reduction_rules();
Rules product_rules();
Rules convolution_rules();
Rules window_rules();
Rules indexing_rules();
Rules sorting_rules();
Rules control_rules();
Rules random_rules();
Rules linalg_rules();
Rules orthogonal_rules();
Rules collective_rules();
Rules spmd_rules();

}  // namespace antler::pjrt
