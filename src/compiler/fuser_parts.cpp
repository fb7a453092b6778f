#include <optional>
#include <unordered_set>
#include <vector>

#include "compiler/fuser.h"
#include "compiler/op_kind.h"

// A concatenation of values that one nest computes needs no kernel: the nest writes them side by
// side. The gradients of an LSTM's gates are an example.
namespace antler::compiler {

using ir::NodeId;
using ir::ValueId;

namespace {

/// A part must be whole vectors, or many of them: remainders would break up the nest's loop.
constexpr int64_t kVector = 16;
constexpr int64_t kManyVectors = 16 * kVector;

int64_t elements_from(const Shape& shape, int64_t axis) {
  int64_t n = 1;
  for (int d = static_cast<int>(axis); d < shape.rank(); ++d) n *= shape[d];
  return n;
}

bool fits_vectors(int64_t width) { return width % kVector == 0 || width >= kManyVectors; }

}  // namespace

/// The nest that computes all operands; nullopt if several nests do.
std::optional<int> Fuser::producer_of(const ir::Node& concatenation) const {
  std::optional<int> nest;
  for (ValueId in : concatenation.inputs) {
    const ValueId v = base(in);
    const int64_t width = elements_from(graph_.spec(in).shape, concatenation.attrs.integer("axis"));
    if (home_[at(v)] < 0 || is_separate(v) || size(v) == 0 || !fits_vectors(width)) return {};
    const int home = clusters_.find(home_[at(v)]);
    if (nest && *nest != home) return {};
    nest = home;
  }
  return nest;
}

void Fuser::join_concatenations() {
  std::unordered_set<NodeId> joined;
  for (NodeId n : library_) {
    const ir::Node& node = graph_.nodes[at(n)];
    if (kind_of(node) != OpKind::concatenate || !producer_of(node)) continue;
    const int64_t axis = node.attrs.integer("axis");
    const ValueId out = node.outputs[0];
    const int64_t row = elements_from(graph_.spec(out).shape, axis);
    int64_t offset = 0;
    for (ValueId in : node.inputs) {
      const int64_t width = elements_from(graph_.spec(in).shape, axis);
      parts_[at(base(in))].push_back({out, row, offset, width});
      offset += width;
    }
    joined.insert(n);
  }
  if (joined.empty()) return;
  std::erase_if(library_, [&](NodeId n) { return joined.count(n) != 0; });
  needed_.assign(needed_.size(), 0);
  for (ValueId v : graph_.results()) needed_[at(base(v))] = 1;
  for (NodeId n : library_) {
    for (ValueId v : graph_.nodes[at(n)].inputs) needed_[at(base(v))] = 1;
  }
}

}  // namespace antler::compiler
