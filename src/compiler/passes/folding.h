#pragma once

#include <optional>
#include <vector>

#include "compiler/rewriter.h"

/// What simplify knows of values that do not depend on inputs.
namespace antler::compiler {

/// The literal that defines a value; undefined when it is none.
Tensor literal_of(const ir::Graph& graph, ir::ValueId v);
/// A one-element literal of which every element of `v` is a copy: `v` is that literal, or a
/// broadcast of it.
Tensor splat_of(const ir::Graph& graph, ir::ValueId v);
/// The number that every element of `v` is.
std::optional<double> splat_number(const ir::Graph& graph, ir::ValueId v);

/// The value of a node whose operands are literals, where computing it now makes sense: an
/// elementwise op on copies of one number, or a small array of literals. -1 otherwise.
ir::ValueId fold(Rewriter& to, const ir::OpDef& op, const std::vector<ir::ValueId>& inputs,
                 const ir::Attrs& attrs);

}  // namespace antler::compiler
