#pragma once

#include <cstdint>

#include "antler/ir/graph.h"
#include "antler/ir/op_def.h"

namespace antler::compiler {

/// The ops that passes know by name. All others are `other`: passes may move them, but know nothing
/// about them.
enum class OpKind : uint8_t {
  other,
  // Sources.
  constant,
  iota,
  // Views.
  broadcast,
  reshape,
  transpose,
  slice,
  reverse,
  // Reductions.
  reduce_sum,
  reduce_prod,
  reduce_max,
  reduce_min,
  reduce_any,
  reduce_all,
  argmax,
  argmin,
  // Element-wise.
  add,
  sub,
  mul,
  div,
  max,
  min,
  pow,
  neg,
  not_,
  and_,
  or_,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  select,
  convert,
  stop_gradient,
  // Others.
  dot_general,
  pad,
  concatenate,
  while_,
  cond,
  scan,
  count,  ///< how many there are
};

OpKind kind_of(const ir::OpDef& op);
inline OpKind kind_of(const ir::Node& node) { return kind_of(*node.op); }
/// The definition of a kind (not of `other`).
const ir::OpDef& op_of(OpKind kind);

inline bool is_reduction(OpKind kind) {
  return kind >= OpKind::reduce_sum && kind <= OpKind::reduce_all;
}
inline bool is_view(OpKind kind) { return kind >= OpKind::broadcast && kind <= OpKind::reverse; }
inline bool is_source(OpKind kind) { return kind == OpKind::constant || kind == OpKind::iota; }

}  // namespace antler::compiler
