#pragma once

#include <cstdint>
#include <optional>

#include "antler/ir/graph.h"

namespace antler::compiler {

/// The rules of part_rules.h for convolutions and their gradients: along the batch and along
/// channels, without groups.
bool is_convolution(const ir::Node& node);
std::optional<ir::Ints> conv_operand_dims(const ir::Graph& graph, const ir::Node& node,
                                          int64_t dimension);
/// The attribute that holds the shape of the result; null if operands determine it.
const char* conv_shape_attr(const ir::Node& node);
std::optional<ir::Ints> conv_reduced_dims(const ir::Graph& graph, const ir::Node& node,
                                          size_t which, int64_t dimension);

}  // namespace antler::compiler
