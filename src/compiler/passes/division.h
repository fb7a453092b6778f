#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/ir/graph.h"
#include "compiler/passes/part_rules.h"

namespace antler::compiler {

/// An axis of a mesh of devices, along which arrays lie in parts.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

/// The axis along which a node joins parts of an array or takes one of them; none for other nodes.
std::optional<MeshAxis> joined_along(const ir::Node& node);
std::optional<MeshAxis> split_along(const ir::Node& node);

/// Says for each value of a graph along which dimension the devices of a mesh axis divide it. It
/// starts at the arrays that are joined and split along the axis, and goes on through the ops that
/// can compute in parts: first forwards, then backwards from what is wanted in parts.
class Division {
 public:
  Division(const ir::Graph& graph, const MeshAxis& axis);

  /// The dimension, or kWhole.
  int64_t of(ir::ValueId v) const;
  /// If the result of a node is whole and combines results of parts: the dimensions along which
  /// its operands are divided.
  std::optional<ir::Ints> combined(const ir::Node& node) const;

 private:
  bool go_forward(const ir::Node& node);
  bool go_backward(const ir::Node& node);
  bool want(ir::ValueId v, int64_t dimension);

  const ir::Graph& graph_;
  const MeshAxis& axis_;
  std::vector<int64_t> dims_;
};

}  // namespace antler::compiler
