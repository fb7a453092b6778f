#include <cstdint>
#include <string>
#include <unordered_map>

#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"

namespace antler::compiler {
namespace {

/// Literals up to this many bytes are compared by content.
constexpr size_t kSmallLiteral = 256;

void append(std::string& key, const void* bytes, size_t size) {
  key.append(static_cast<const char*>(bytes), size);
}

void append_identity(std::string& key, const void* object) {
  const auto address = reinterpret_cast<uintptr_t>(object);
  append(key, &address, sizeof address);
}

/// Equal keys mean equal values.
std::string key_of(const ir::Node& node, const std::vector<ir::ValueId>& inputs) {
  std::string key;
  append_identity(key, node.op);
  append(key, inputs.data(), inputs.size() * sizeof(ir::ValueId));
  if (kind_of(node) == OpKind::constant) {
    const Tensor& value = node.attrs.get<Tensor>("value");
    if (value.bytes() <= kSmallLiteral) {
      key += dtype_name(value.dtype()) + value.shape().str();
      append(key, value.data(), value.bytes());
      return key;
    }
  }
  key += node.attrs.key();
  for (const ir::GraphPtr& region : node.regions) {
    append_identity(key, region.get());
  }
  return key;
}

}  // namespace

ir::Graph merge_equal(const ir::Graph& graph, const CompileOptions&) {
  Rewriter to(graph);
  std::unordered_map<std::string, const ir::Node*> seen;
  for (const ir::Node& node : graph.nodes) {
    if (node.op->op_class == ir::OpClass::effect) {
      to.copy(node);
      continue;
    }
    const auto [it, fresh] = seen.try_emplace(key_of(node, to.map(node.inputs)), &node);
    if (fresh) {
      to.copy(node);
      continue;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      to.replace(node.outputs[i], to.map(it->second->outputs[i]));
    }
  }
  return to.finish();
}

}  // namespace antler::compiler
