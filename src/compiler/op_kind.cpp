#include "compiler/op_kind.h"

#include <array>
#include <unordered_map>

#include "antler/base/error.h"
#include "antler/ops/op_list.h"

namespace antler::compiler {
namespace {

constexpr size_t kCount = static_cast<size_t>(OpKind::count);

struct KindName {
  OpKind kind;
  const char* name;
};

constexpr KindName kNames[] = {
    {OpKind::constant, "constant"},
    {OpKind::iota, "iota"},
    {OpKind::broadcast, "broadcast"},
    {OpKind::reshape, "reshape"},
    {OpKind::transpose, "transpose"},
    {OpKind::slice, "slice"},
    {OpKind::reverse, "reverse"},
    {OpKind::reduce_sum, "reduce_sum"},
    {OpKind::reduce_prod, "reduce_prod"},
    {OpKind::reduce_max, "reduce_max"},
    {OpKind::reduce_min, "reduce_min"},
    {OpKind::reduce_any, "reduce_any"},
    {OpKind::reduce_all, "reduce_all"},
    {OpKind::argmax, "argmax"},
    {OpKind::argmin, "argmin"},
    {OpKind::add, "add"},
    {OpKind::sub, "sub"},
    {OpKind::mul, "mul"},
    {OpKind::div, "div"},
    {OpKind::max, "max"},
    {OpKind::min, "min"},
    {OpKind::pow, "pow"},
    {OpKind::neg, "neg"},
    {OpKind::not_, "not"},
    {OpKind::and_, "and"},
    {OpKind::or_, "or"},
    {OpKind::eq, "eq"},
    {OpKind::ne, "ne"},
    {OpKind::lt, "lt"},
    {OpKind::le, "le"},
    {OpKind::gt, "gt"},
    {OpKind::ge, "ge"},
    {OpKind::select, "select"},
    {OpKind::convert, "convert"},
    {OpKind::stop_gradient, "stop_gradient"},
    {OpKind::dot_general, "dot_general"},
    {OpKind::pad, "pad"},
    {OpKind::concatenate, "concatenate"},
    {OpKind::while_, "while"},
    {OpKind::cond, "cond"},
    {OpKind::scan, "scan"},
};

struct Table {
  std::unordered_map<const ir::OpDef*, OpKind> kinds;
  std::array<const ir::OpDef*, kCount> ops{};
};

const Table& table() {
  static const Table instance = [] {
    Table t;
    for (const KindName& entry : kNames) {
      const ir::OpDef* op = ops::find_op(entry.name);
      if (op == nullptr) throw InternalError("No op is named `{}`.", entry.name);
      t.kinds.emplace(op, entry.kind);
      t.ops[static_cast<size_t>(entry.kind)] = op;
    }
    return t;
  }();
  return instance;
}

}  // namespace

OpKind kind_of(const ir::OpDef& op) {
  const auto& kinds = table().kinds;
  const auto it = kinds.find(&op);
  return it == kinds.end() ? OpKind::other : it->second;
}

const ir::OpDef& op_of(OpKind kind) {
  const ir::OpDef* op = table().ops[static_cast<size_t>(kind)];
  if (op == nullptr) throw InternalError("op_of: the kind has no op.");
  return *op;
}

}  // namespace antler::compiler
