#include "antler/ops/op_list.h"

#include <unordered_map>
#include <vector>

#include "antler/ir/tracer.h"
#include "ops/families.h"

namespace antler::ops {
namespace {

constexpr OpSpan (*kFamilies[])() = {
    arithmetic_ops, division_ops,  extremum_ops,     exponential_ops, trigonometric_ops,
    special_ops,    rounding_ops,  comparison_ops,   logic_ops,       select_ops,
    convert_ops,    reduction_ops, arg_extremum_ops, scan_ops,        sort_ops,
    random_ops,     dot_ops,       conv_ops,         window_ops,      movement_ops,
    indexing_ops,   control_ops,   nn_ops,           hash_ops,        conv_pool_ops,
    host_ops,       worker_ops,    matrix_ops,       fourier_ops,     barrier_ops,
};

}  // namespace

std::span<const ir::OpDef* const> all_ops() {
  static const std::vector<const ir::OpDef*> list = [] {
    std::vector<const ir::OpDef*> ops = {&ir::kConstant};
    for (const auto family : kFamilies) {
      const OpSpan span = family();
      ops.insert(ops.end(), span.begin(), span.end());
    }
    return ops;
  }();
  return list;
}

const ir::OpDef* find_op(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const ir::OpDef*> map;
    for (const ir::OpDef* op : all_ops()) map.emplace(op->name, op);
    return map;
  }();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

}  // namespace antler::ops
