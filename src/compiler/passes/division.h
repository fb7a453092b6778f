#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/ir/graph.h"
#include "compiler/passes/part_rules.h"

namespace antler::compiler {

/// An axis of a mesh of devices, along which arrays are divided.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

/// The axis along which a node joins parts of an array, or takes a part; none for other nodes.
std::optional<MeshAxis> joined_along(const ir::Node& node);
std::optional<MeshAxis> split_along(const ir::Node& node);

/// Determines for each value of a graph along which dimension a mesh axis divides it. The analysis
/// starts at arrays that are joined or split along the axis, and propagates through the ops that
/// can compute in parts: first forwards, then backwards from values that are needed in parts.
class Division {
 public:
  Division(const ir::Graph& graph, const MeshAxis& axis);

  /// The dimension, or kWhole.
  int64_t of(ir::ValueId v) const;
  /// For a node whose result is whole but combined from results of parts: the dimensions along
  /// which its operands are divided.
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
