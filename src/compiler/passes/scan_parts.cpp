#include "compiler/passes/scan_parts.h"

#include "antler/base/error.h"
#include "compiler/at.h"
#include "compiler/kernels.h"
#include "compiler/op_kind.h"

namespace antler::compiler {
namespace {

/// At or above this OpDef::work, reading a stored value is cheaper than computing it again.
constexpr int kWorthStoring = 8;

}  // namespace

ScanParts::ScanParts(const ir::Node& scan)
    : node(scan),
      body(*scan.regions[0]),
      num_carry(static_cast<size_t>(scan.attrs.integer("num_carry"))),
      num_xs(static_cast<size_t>(scan.attrs.integer("num_xs"))),
      length(scan.attrs.integer("length")),
      in_steps(scan.attrs.has("in_steps")) {}

ir::Graph rebuild_body(const ir::Graph& body, const std::vector<ir::ValueId>& inputs,
                       const std::vector<ir::ValueId>& outputs) {
  ir::Graph to;
  std::vector<ir::ValueId> map(body.values.size(), -1);
  for (ir::ValueId v : inputs) {
    const ir::ValueId input = to.add_input(body.spec(v));
    to.inputs.push_back(input);
    map[at(v)] = input;
  }
  std::vector<char> needed(body.values.size(), 0);
  for (ir::ValueId v : outputs) needed[at(v)] = 1;
  std::vector<char> copied(body.nodes.size(), 0);
  for (size_t n = body.nodes.size(); n-- > 0;) {
    for (ir::ValueId v : body.nodes[n].outputs) {
      if (needed[at(v)] != 0 && map[at(v)] < 0) copied[n] = 1;
    }
    if (copied[n] == 0) continue;
    for (ir::ValueId v : body.nodes[n].inputs) needed[at(v)] = 1;
  }
  const auto mapped = [&](ir::ValueId v) {
    if (map[at(v)] < 0)
      throw InternalError("rebuild_body: a needed value depends on an input that is not listed.");
    return map[at(v)];
  };
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    if (copied[n] == 0) continue;
    const ir::Node& node = body.nodes[n];
    const ir::OriginScope origin(node.origin);
    std::vector<ir::ValueId> operands;
    std::vector<TensorSpec> specs;
    for (ir::ValueId v : node.inputs) operands.push_back(mapped(v));
    for (ir::ValueId v : node.outputs) specs.push_back(body.spec(v));
    const auto ids =
        to.add_node(*node.op, std::move(operands), node.attrs, node.regions, std::move(specs));
    for (size_t i = 0; i < ids.size(); ++i) {
      if (map[at(node.outputs[i])] < 0) map[at(node.outputs[i])] = ids[i];
    }
  }
  for (ir::ValueId v : outputs) to.outputs.push_back(mapped(v));
  return to;
}

bool is_expensive(const ir::Node& node) {
  const OpKind kind = kind_of(node);
  if (node.op->op_class == ir::OpClass::elementwise) return node.op->work >= kWorthStoring;
  return is_reduction(kind) || kind == OpKind::dot_general;
}

int64_t scan_bytes(const ir::Graph& graph, const ir::Node& scan) {
  int64_t bytes = 0;
  for (ir::ValueId v : scan.inputs) bytes += bytes_of(graph, v);
  for (ir::ValueId v : scan.outputs) bytes += bytes_of(graph, v);
  return bytes;
}

}  // namespace antler::compiler
