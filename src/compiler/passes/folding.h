#pragma once

#include <optional>
#include <vector>

#include "compiler/rewriter.h"

/// Constant folding, and queries about constant values.
namespace antler::compiler {

/// The literal that defines a value; undefined if the value is not a literal.
Tensor literal_of(const ir::Graph& graph, ir::ValueId v);
/// The one-element literal of which every element of `v` is a copy: `v` is that literal, or a
/// broadcast of it. Undefined if there is none.
Tensor splat_of(const ir::Graph& graph, ir::ValueId v);
/// The number that every element of `v` equals.
std::optional<double> splat_number(const ir::Graph& graph, ir::ValueId v);

/// Evaluates a node at compile time if its operands are copies of one number or small literals;
/// returns -1 otherwise.
ir::ValueId fold(Rewriter& to, const ir::OpDef& op, const std::vector<ir::ValueId>& inputs,
                 const ir::Attrs& attrs);

}  // namespace antler::compiler
