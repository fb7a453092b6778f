#pragma once

#include <span>
#include <string_view>

#include "antler/ir/op_def.h"

namespace antler::ops {

/// Every op, in the order of op_list.cpp, the only list of ops.
std::span<const ir::OpDef* const> all_ops();
/// The op with this name; null if there is none.
const ir::OpDef* find_op(std::string_view name);

}  // namespace antler::ops
