#include "compiler/node_key.h"

#include <cstdint>

#include "compiler/op_kind.h"

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

}  // namespace

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

}  // namespace antler::compiler
