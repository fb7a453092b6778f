#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/ir/graph.h"
#include "runtime/cpu/library_kernel.h"

/// Helpers for functions of type MakeKernel.
namespace antler::runtime {

inline const TensorSpec& input_spec(const ir::Graph& graph, const ir::Node& node, size_t i) {
  return graph.spec(node.inputs[i]);
}
inline const TensorSpec& output_spec(const ir::Graph& graph, const ir::Node& node, size_t i = 0) {
  return graph.spec(node.outputs[i]);
}
/// Whether a node reads the value or the value is a result of the graph.
inline bool is_read(const ir::Graph& graph, ir::ValueId value) {
  const auto has = [&](const std::vector<ir::ValueId>& ids) {
    return std::find(ids.begin(), ids.end(), value) != ids.end();
  };
  return has(graph.results()) || std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                             [&](const ir::Node& n) { return has(n.inputs); });
}

/// Reports why a kernel does not support a node: `return refuse(refusal, "...")`.
inline std::unique_ptr<LibraryKernel> refuse(std::string* refusal, std::string why) {
  if (refusal != nullptr) *refusal = std::move(why);
  return nullptr;
}

/// Product of dims[first, last).
inline int64_t product(const std::vector<int64_t>& dims, size_t first, size_t last) {
  int64_t n = 1;
  for (size_t i = first; i < last; ++i) n *= dims[i];
  return n;
}

}  // namespace antler::runtime
