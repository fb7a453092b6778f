#pragma once

#include <functional>

#include "antler/ir/graph.h"
#include "saving/export/graph_sink.h"

namespace antler::saving {

/// A graph that was traced for two sizes of the batch, which tells which sizes follow it.
class BatchGraph {
 public:
  static constexpr int64_t kFirst = 2;
  static constexpr int64_t kSecond = 3;
  /// The graph for a batch of some size.
  using Trace = std::function<ir::Graph(int64_t batch)>;

  /// Throws NotImplementedError for a computation that has other ops for another size.
  explicit BatchGraph(const Trace& trace);
  /// Of one size only: nothing is dynamic.
  BatchGraph(const Trace& trace, int64_t batch);
  BatchGraph(ir::Graph first, ir::Graph second);

  const ir::Graph& graph() const { return first_; }
  Dims dims(ir::ValueId value) const;
  /// An attribute that is a list of sizes.
  Dims attr(size_t node, const char* name) const;
  /// The same for one that must not depend on the batch.
  std::vector<int64_t> fixed_attr(size_t node, const char* name) const;
  /// The value of a constant node. Along a dimension that grows with the batch all its elements
  /// are alike, and it has one of them. Throws NotImplementedError where they are not, and for
  /// another value for another size.
  Tensor constant(size_t node) const;
  /// A region of a node.
  BatchGraph region(size_t node, size_t index) const;

 private:
  Dims dims_of(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
               const std::string& what) const;

  ir::Graph first_;
  ir::Graph second_;
};

}  // namespace antler::saving
