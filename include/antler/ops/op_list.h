#pragma once

#include <span>
#include <string_view>

#include "antler/ir/op_def.h"

namespace antler::ops {

/// Every op, in the order of the list in op_list.cpp; the only list there is.
std::span<const ir::OpDef* const> all_ops();
/// The op of a name; null if there is none.
const ir::OpDef* find_op(std::string_view name);

}  // namespace antler::ops
