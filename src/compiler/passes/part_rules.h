#pragma once

#include <cstdint>
#include <optional>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// Stands for "not divided" where a dimension is expected.
inline constexpr int64_t kWhole = -1;

/// The dimension along which each operand of a node is divided, or kWhole, if the node computes one
/// of `parts` equal parts of its output along `dimension`. None if an op cannot do that.
std::optional<ir::Ints> operand_dims(const ir::Graph& graph, const ir::Node& node,
                                     int64_t dimension, int64_t parts);

/// The attributes of a node that computes such a part.
ir::Attrs part_attrs(const ir::Graph& graph, const ir::Node& node, int64_t dimension,
                     int64_t parts);

/// How the results of parts of the operands are combined: sums of partial products and the like.
/// Gives the dimension of each operand, given that operand `which` is divided along `dimension`.
/// None if the op is not a reduction over that dimension.
std::optional<ir::Ints> reduced_dims(const ir::Graph& graph, const ir::Node& node, size_t which,
                                     int64_t dimension);

}  // namespace antler::compiler
