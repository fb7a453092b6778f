#pragma once

#include <cstdint>
#include <vector>

#include "compiler/rewriter.h"

namespace antler::compiler {

/// Computes values of a scan's body outside the scan, for all steps at once: values that differ
/// between steps are stacked along a new dimension 0 of size `length`.
class Lifter {
 public:
  /// The counterpart of a body value: stacked, or one value for all steps.
  struct Lifted {
    ir::ValueId value = -1;
    bool stacked = false;
  };

  Lifter(Rewriter& to, const ir::Graph& body, int64_t length);

  /// Whether a node can be lifted when the inputs for which `stacked` is set are.
  static bool can_lift(const ir::Node& node, const std::vector<char>& stacked);

  void set(ir::ValueId body_value, Lifted lifted) { known_[index(body_value)] = lifted; }
  bool knows(ir::ValueId body_value) const { return known_[index(body_value)].value >= 0; }
  /// Everything that the value depends on must be known or can_lift().
  Lifted lift(ir::ValueId body_value);
  /// lift(), broadcast to all steps if it is one value for all of them.
  ir::ValueId stacked(ir::ValueId body_value);

 private:
  static size_t index(ir::ValueId v) { return static_cast<size_t>(v); }
  void lift_node(const ir::Node& node);
  ir::ValueId lift_dot(const ir::Node& node);
  ir::ValueId spread(Lifted lifted);

  Rewriter& to_;
  const ir::Graph& body_;
  int64_t length_;
  std::vector<Lifted> known_;  // by value of the body
};

}  // namespace antler::compiler
